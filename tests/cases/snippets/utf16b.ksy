# data: 00610062d83dde00000000
meta: {id: utf16b, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: str, size: 4, encoding: UTF-16BE}
  - {id: b, type: strz, encoding: UTF-16BE}
