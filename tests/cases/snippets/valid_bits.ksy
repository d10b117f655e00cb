# data: a5
meta: {id: valid_bits, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: b4, valid: 10}
  - {id: b, type: b1, valid: false}
  - {id: c, type: b3, valid: {min: 1, max: 6}}
