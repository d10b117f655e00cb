# data: 0102030405
meta: {id: rep_if, endian: le, encoding: UTF-8}
seq:
  - {id: n, type: u1}
  - {id: a, type: u1, repeat: expr, repeat-expr: n, if: n > 0}
  - {id: b, type: u1, repeat: until, repeat-until: _ == 3, if: n == 1}
  - {id: c, type: s, repeat: eos, if: n != 9}
types: {s: {seq: [{id: x, type: u1}]}}
instances:
  first: {value: a.size + c.last.x, if: n > 0}
