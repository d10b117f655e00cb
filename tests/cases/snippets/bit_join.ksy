# data: 1234567890abcdef1122|ffffffffffffffffffff
meta: {id: bit_join, endian: be}
seq:
  - {id: nibs, type: nib, repeat: expr, repeat-expr: 5}
  - {id: x, type: u1}
  - {id: b0, type: b2}
  - {id: y, type: nib}
  - {id: z, type: nib3}
  - {id: s, size: 1, type: nib}
  - {id: b3, type: b4}
types:
  nib: {seq: [{id: v, type: b4}]}
  nib3: {seq: [{id: a, type: nib}, {id: b, type: b4}, {id: c, type: b2}]}
