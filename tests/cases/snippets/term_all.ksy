# data: 61622f63643b65660078
meta: {id: term_all, endian: le, encoding: UTF-8}
seq:
  - {id: a, terminator: 0x2f}
  - {id: b, terminator: 0x3b, consume: false}
  - {id: semi, type: u1}
  - {id: c, type: strz, include: true}
  - {id: d, type: str, terminator: 0x7f, eos-error: false}
