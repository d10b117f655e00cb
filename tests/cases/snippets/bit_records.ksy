# data: 1234567890abcdef1122334455667788|ffffffffffffffffffffffffffffffff|0102030405aaaa1122334455667788
meta: {id: bit_records, endian: be}
seq:
  - {id: nibs, type: nib, repeat: expr, repeat-expr: 5}
  - {id: x, type: u1}
  - {id: y, type: nib}
  - {id: z, type: nib3}
  - {id: flags, type: b1, repeat: expr, repeat-expr: 12}
  - {id: e, type: b3, enum: en, repeat: expr, repeat-expr: 3}
  - {id: f, type: b3, repeat: until, repeat-until: '_ != 2'}
  - {id: g, type: b7, repeat: expr, repeat-expr: 2, if: 'flags[0]'}
types:
  nib: {seq: [{id: v, type: b4}]}
  nib3: {seq: [{id: a, type: nib}, {id: b, type: b4}, {id: c, type: b2}]}
enums: {en: {1: one, 2: two}}
