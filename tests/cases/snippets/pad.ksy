# data: 6162200020203132002e2e
meta: {id: pad, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: str, size: 6, pad-right: 0x20}
  - {id: b, type: str, size: 3, terminator: 0}
  - {id: c, size: 2, pad-right: 0x2e}
