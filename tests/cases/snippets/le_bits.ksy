# data: a5c3f00f
meta: {id: le_bits, bit-endian: le, endian: be}
seq: [{id: a, type: b3}, {id: b, type: b13}, {id: f, type: b1}, {id: g, type: b15}]
