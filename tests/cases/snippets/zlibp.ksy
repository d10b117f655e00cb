# data: 789c4b4c4a4e4c4a0600080c024d
meta: {id: zlibp, endian: le, encoding: UTF-8}
seq:
  - {id: z, size: 14, process: zlib, type: inner}
types: {inner: {seq: [{id: a, type: str, size-eos: true}]}}
