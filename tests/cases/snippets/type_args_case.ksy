# data: 01aabb|02aabb
meta: {id: type_args_case, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - id: v
    type:
      switch-on: k
      cases:
        1: p(1, true, "x")
        2: p(k * 1, k == 2, 'y')
types:
  p:
    params: [{id: n, type: u2}, {id: f, type: bool}, {id: s, type: str}]
    seq: [{id: d, size: n}]
