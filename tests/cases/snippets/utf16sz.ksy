# data: 6100620000007a7a41
meta: {id: utf16sz, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: strz, size: 8, encoding: UTF-16LE}
  - {id: c, type: u1}
