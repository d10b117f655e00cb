# data: a5c3f00f123456789a
meta: {id: bitmix, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: b3}
  - {id: b, type: b13}
  - {id: c, type: u1}
  - {id: d, type: b1}
  - {id: e, type: b2, enum: e}
  - {id: f, type: u1}
  - {id: g, type: b4, repeat: expr, repeat-expr: 4}
  - {id: h, type: b12le}
  - {id: i, type: b4le}
enums: {e: {0: zero, 3: three}}
