# data: 8001020304|0001020304
meta: {id: sw_bool, endian: le, encoding: UTF-8}
seq:
  - {id: f, type: b1}
  - id: v
    type:
      switch-on: f
      cases:
        true: u1
        false: u2
  - id: w
    type:
      switch-on: 'v == 1'
      cases:
        true: two
        _: one
types:
  one: {seq: [{id: a, type: u1}]}
  two: {seq: [{id: a, type: u2}]}
