# data: 0102
meta: {id: enumcast, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}, {id: b, type: b8, enum: e}]
instances:
  x: {value: a, enum: e}
  y: {value: 'a & 1', enum: e, if: a > 0}
  z: {value: x.to_i + b.to_i}
  s: {value: 'b == e::two ? "two" : "other"'}
  eq: {value: x == b}
enums: {e: {1: one, 2: two}}
