# data: 4142000002aabb|5a5a000002aabb
meta: {id: str_switch_sized, endian: le, encoding: UTF-8}
seq:
  - {id: tag, type: str, size: 4, terminator: 0}
  - {id: len, type: u1}
  - id: body
    size: len
    type:
      switch-on: tag
      cases: {'"AB"': two, "'CD'": strs}
types: {two: {seq: [{id: v, type: u2be}]}, strs: {seq: [{id: s, type: strz, repeat: eos}]}}
