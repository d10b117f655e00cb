meta: {id: enum_words}
seq:
  - {id: big, type: big}
  - {id: little, type: little}
  - {id: low, type: low}
  - {id: wide, type: wide}
  - {id: short, type: short}
  - {id: both_ways, type: both_ways}
types:
  big:
    seq: [{id: a, type: u4be, enum: kind}]
    enums: {kind: {0x44415441: data, 0x7c2a2060: more}}
  little:
    seq: [{id: a, type: u4le, enum: kind}]
    enums: {kind: {0x44415441: data, 0x7c2a2060: more}}
  low:
    seq: [{id: a, type: u4be, enum: kind}]
    enums: {kind: {0x44415441: data, 0x44415400: more}}
  wide:
    seq: [{id: a, type: u4be, enum: kind}]
    enums: {kind: {0x44415441: data, 0x1_4441_5441: more}}
  short:
    seq: [{id: a, type: u2be, enum: kind}]
    enums: {kind: {0x4142: x}}
  both_ways:
    seq: [{id: a, type: u4le, enum: kind}, {id: b, type: u4be, enum: kind}]
    enums: {kind: {0x41424344: x}}
