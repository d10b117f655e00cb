# data: 01020304050607080910111213
meta: {id: sizes_calc, endian: le, bit-endian: be}
seq:
  - {id: a, type: fixed}
  - {id: b, type: u1, repeat: expr, repeat-expr: 'sizeof<fixed> - 2'}
  - {id: c, size: 'sizeof<b4> + bitsizeof<bits> / 8'}
types:
  fixed: {seq: [{id: x, type: u2}, {id: y, type: u1}, {id: z, type: bits}]}
  bits: {seq: [{id: p, type: b3}, {id: q, type: b5}]}
instances:
  s1: {value: a._sizeof}
  s2: {value: 'sizeof<u4> + sizeof<f8> + a.x._sizeof'}
  s3: {value: 'bitsizeof<b11>'}
  s4: {value: 'sizeof<fixed> == 4 ? "four" : "other"'}
