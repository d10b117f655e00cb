# data: 610062000000|6100
meta: {id: utf16, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: strz, encoding: UTF-16LE}
