# data: b0
meta: {id: if_bits, endian: le, encoding: UTF-8}
seq: [{id: f, type: b1}, {id: g, type: b3, if: f}, {id: h, type: b4, if: not f}]
