# data: 00|02aabbcc
meta: {id: size_zero, endian: be}
seq:
  - {id: n, type: u1}
  - {id: e, type: empty}
  - {id: z, size: 0, type: empty2}
  - {id: s, type: str, size: 0, encoding: UTF-8}
  - {id: zs, type: empty, repeat: expr, repeat-expr: n}
  - {id: zi, type: one, size: 0, repeat: expr, repeat-expr: n, if: 'n == 0'}
  - {id: items, size: 1, type: one, repeat: expr, repeat-expr: n}
types:
  empty: {}
  empty2: {seq: [], instances: {sz: {value: _io.size}, e: {value: _io.eof}}}
  one: {seq: [{id: a, type: u1}]}
