# data: 01020305|0009|02aabb|03414243
meta: {id: opt_union, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - id: v
    if: k != 0
    type:
      switch-on: k
      cases: {1: one, 2: two, 3: str3, _: one}
  - id: w
    if: k == 1
    size: 1
    type:
      switch-on: k
      cases: {1: one, 4: two}
  - id: many
    if: k == 0
    repeat: eos
    type:
      switch-on: k
      cases: {0: one, _: two}
types:
  one: {seq: [{id: x, type: u1}]}
  two: {seq: [{id: x, type: u2}]}
  str3: {seq: [{id: x, type: str, size: 3}]}
instances:
  again: {value: v}
  ok: {value: 'v.as<one>', if: k == 1}
  xx: {value: ok.x + 1}
  m: {value: many, if: k == 0}
  m0: {value: 'm[0].as<one>.x'}
  at:
    pos: 0
    if: k == 1
    type: {switch-on: k, cases: {1: one, _: two}}
  at2: {value: at}
