# data: 01aabbccdd|02aabbccdd|03aabbccdd|04aabbccddeeff00112233|05aabbccdd
meta: {id: sw_prim, endian: le, encoding: UTF-8}
seq:
  - id: k
    type: u1
  - id: v
    type:
      switch-on: k
      cases:
        1: u2
        2: sub
        3: sub2(k)
        4: f8
types:
  sub: {seq: [{id: a, type: u1}]}
  sub2: {params: [{id: p, type: u1}], seq: [{id: a, type: u1}, {id: c, size: p}]}
