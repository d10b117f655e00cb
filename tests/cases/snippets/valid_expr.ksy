# data: 050700
meta: {id: valid_expr, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1, valid: {expr: _ % 5 == 0}}, {id: b, type: u1, valid: {min: a, max: a * 2}}, {id: c, size: 1}]
instances: {d: {value: a + b}, e: {pos: 0, type: u1, valid: a}}
