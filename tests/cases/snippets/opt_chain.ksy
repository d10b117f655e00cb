# data: 0001|0102
meta: {id: opt_chain, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - {id: a, type: inner, if: k > 0}
  - {id: rest, size-eos: true}
types: {inner: {seq: [{id: x, type: u1}], instances: {even: {value: x % 2 == 0}}}}
instances:
  safe: {value: 'k > 0 ? a.x : 0'}
  wild: {value: a.x + 1}
  both: {value: 'k > 0 and a.even'}
