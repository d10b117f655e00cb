# data: 0104aabbccddff|0204aabbccddff|0304aabbccddff|0404aabbccddff
meta: {id: sw_sized, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - {id: len, type: u1}
  - id: v
    size: len
    type:
      switch-on: k
      cases:
        1: u2
        2: sub
        3: strz
  - {id: after, type: u1}
types:
  sub: {seq: [{id: a, type: u1}, {id: rest, size-eos: true}]}
