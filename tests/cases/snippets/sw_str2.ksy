# data: 616263010203|646566010203
meta: {id: sw_str2, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: str, size: 3}
  - id: v
    type:
      switch-on: k
      cases:
        '"abc"': u1
        "'def'": u2be
        _: u4
