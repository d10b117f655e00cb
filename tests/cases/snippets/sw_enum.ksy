# data: 010203|020304|770304
meta: {id: sw_enum, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1, enum: e}
  - id: v
    type:
      switch-on: k
      cases:
        'e::a': u1
        'e::none': one
        _: u2
types:
  one: {seq: [{id: a, type: u1}]}
enums: {e: {1: a, 2: none}}
