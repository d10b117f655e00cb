# data: 0102
meta: {id: not_type, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: u1, enum: e}
  - {id: s, type: not}
types:
  not:
    seq: [{id: not, type: u1}]
    instances:
      v: {value: not}
instances:
  eq: {value: 'a == e::not'}
  val: {value: s.not}
enums:
  e: {1: not, 2: and, 3: or, 4: true, 5: false, 6: none}
