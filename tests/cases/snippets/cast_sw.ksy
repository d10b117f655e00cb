# data: 0102|0203
meta: {id: cast_sw, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - {id: b, type: {switch-on: k, cases: {1: one, 2: two}}}
types:
  one: {seq: [{id: x, type: u1}]}
  two: {seq: [{id: y, type: u1}]}
instances:
  x: {value: b.as<one>.x, if: k == 1}
  y: {value: 'k == 2 ? b.as<two>.y : -1'}
  z: {value: b.as<one>.x + 1}
