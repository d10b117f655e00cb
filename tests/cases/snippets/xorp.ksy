# data: 0501020304
meta: {id: xorp, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - {id: z, size: 2, process: xor(k), type: inner}
  - {id: y, size-eos: true, process: 'xor([1, 2])'}
types: {inner: {seq: [{id: a, type: u2}]}}
