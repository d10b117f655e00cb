# data: 0403aabbccdd
meta: {id: inst_sub, endian: le, encoding: UTF-8}
seq: [{id: n, type: u1}]
instances:
  body: {pos: 2, size: n, type: sub}
  bodies: {pos: 1, size: 2, type: sub, repeat: expr, repeat-expr: 2}
  text: {pos: n - 2, type: str, size: 1, encoding: ISO-8859-1, if: n > 2}
  mode: {value: 'body.raw.length > 2 ? kind::big : kind::small'}
types: {sub: {seq: [{id: raw, size-eos: true}], instances: {at: {pos: 0, type: u1}, last: {pos: _io.size - 1, type: u1}}}}
enums: {kind: {1: small, 2: big}}
