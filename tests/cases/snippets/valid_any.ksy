# data: 6162637a
meta: {id: valid_any, endian: le, encoding: UTF-8}
seq:
  - id: a
    type: str
    size: 3
    valid: {any-of: ['"abc"', "'def'"]}
  - id: b
    type: u1
    valid: {any-of: [1, 0x7a, 0b11]}
