# data: 0102030405|4142030405
meta: {id: sw_bytes, endian: le, encoding: UTF-8}
seq:
  - {id: m, size: 2}
  - id: v
    type:
      switch-on: m
      cases:
        '[1, 2]': u1
        '[0x41, 0x42]': u2
