# data: 0102030405060708090a0b0c0d0e
meta: {id: keywords, endian: le, encoding: UTF-8}
seq:
  - {id: class, type: global(3)}
  - {id: global, type: u1}
  - {id: lambda, type: u1}
  - {id: import, type: u1}
  - {id: type, type: u1}
  - {id: len, type: u1}
  - {id: int, type: u1}
  - {id: self, type: u1}
  - {id: id, type: u1}
  - {id: none, type: u1}
  - {id: print, type: u1}
  - {id: range, type: u1, repeat: expr, repeat-expr: 2}
types:
  global:
    params: [{id: def, type: u1}]
    seq: [{id: with, type: u1}]
    instances: {is: {value: with + def}}
  none: {}
  true: {}
