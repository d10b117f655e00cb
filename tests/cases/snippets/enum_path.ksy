# data: 0102
meta: {id: enum_path, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1, enum: 'outer::inner::e'}, {id: b, type: outer::inner}]
types: {outer: {types: {inner: {seq: [{id: x, type: u1, enum: e}], enums: {e: {1: p, 2: q}}}}}}
instances:
  same: {value: 'a == outer::inner::e::p and b.x == outer::inner::e::q'}
  num: {value: 'outer::inner::e::q.to_i'}
