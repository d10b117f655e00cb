# data: 0102
meta: {id: valid_enum, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: u1, enum: e, valid: 'e::one'}
  - {id: b, type: u1, enum: e, valid: {in-enum: true}}
  - {id: c, type: b2, enum: e, valid: {any-of: ['e::one', 'e::two']}, if: false}
enums: {e: {1: one, 2: two}}
