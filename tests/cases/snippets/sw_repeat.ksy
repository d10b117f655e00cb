# data: 01020304
meta: {id: sw_repeat, endian: le, encoding: UTF-8}
seq:
  - id: v
    repeat: expr
    repeat-expr: 4
    type:
      switch-on: _index
      cases:
        0: u1
        2: one
  - {id: z, type: u1}
types:
  one: {seq: [{id: a, type: u1}]}
