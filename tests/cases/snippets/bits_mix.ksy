# data: ff01a50f3c5af00f55aa|00000000000000000000
meta: {id: bits_mix, endian: le, bit-endian: le}
seq:
  - {id: a, type: b3}
  - {id: b, type: b13}
  - {id: c, type: b1}
  - {id: d, type: u1}
  - {id: e, type: b4be}
  - {id: f, type: b4be}
  - {id: g, type: b12le}
  - {id: h, type: b1le, repeat: expr, repeat-expr: 4}
  - {id: i, type: inner}
types:
  inner:
    meta: {bit-endian: be}
    seq: [{id: x, type: b9}, {id: y, type: b2, enum: e}, {id: z, type: b1, if: y == e::two}]
    enums: {e: {0: zero, 1: one, 2: two, 3: three}}
    instances:
      all: {value: '(x << 2) | y.to_i'}
      t: {pos: 0, type: b11}
      u: {pos: 1, type: b5, repeat: expr, repeat-expr: 3}
