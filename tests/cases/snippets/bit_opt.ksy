# data: 12345678|92345678|f2345678|d2345678ff
meta: {id: bit_opt, endian: be, bit-endian: be}
seq:
  - {id: f, type: b1}
  - {id: g, type: b2}
  - {id: c, type: u1, if: f}
  - {id: d, type: b4}
  - {id: s, type: opt(g)}
  - {id: t, type: nib, if: g == 1}
  - {id: e, type: b3}
  - {id: h, size: 0}
  - {id: i, type: b2}
types:
  opt: {params: [{id: n, type: u1}], seq: [{id: x, type: u1, if: n == 2}, {id: y, type: b3}]}
  nib: {seq: [{id: v, type: b4}]}
