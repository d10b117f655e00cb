# data: 1a4a5a
meta: {id: contents_un, endian: le, encoding: UTF-8}
seq:
  - {id: a, contents: "\x1a"}
  - {contents: [0x4A, Z]}
