# data: 4142000a4344ff0143
meta: {id: contents_mix, endian: le, encoding: UTF-8}
seq:
  - {id: a, contents: [AB, 0, 0x0a, "CD", 0b1111_1111]}
  - {id: b, contents: [1]}
  - {id: c, contents: C}
