# data: 0001aa02bb|0101aa02bb
meta: {id: sw_nested, endian: le, encoding: UTF-8}
seq:
  - id: v
    type: 'outer(1)'
types:
  outer:
    params: [{id: n, type: u1}]
    seq:
      - {id: k, type: u1}
      - id: b
        type:
          switch-on: 'k == 0 ? 1 : 2'
          cases:
            1: inner(n, k)
            2: inner(k + 1, n)
    types:
      inner:
        params: [{id: x, type: u1}, {id: y, type: u1}]
        seq: [{id: d, size: x}]
        instances: {s: {value: x + y}}
