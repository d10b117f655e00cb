# data: 0102030405
meta: {id: enum_deep, endian: le}
seq:
  - {id: a, type: u1, enum: outer::inner::kind}
  - {id: b, type: u1, enum: kind}
  - {id: c, type: outer::inner}
  - {id: d, type: u1, enum: outer::kind, repeat: expr, repeat-expr: 2}
enums: {kind: {2: two, 7: seven}}
types:
  outer:
    enums: {kind: {4: four, 5: five}}
    types:
      inner:
        seq: [{id: x, type: u1, enum: kind}]
        enums: {kind: {1: one, 3: three}}
        instances:
          is3: {value: 'x == kind::three'}
          outk: {value: 'outer::kind::four'}
          topk: {value: 'enum_deep::kind::seven'}
          n: {value: 'x.to_i + outer::inner::kind::one.to_i'}
          cond: {value: 'is3 ? kind::one : kind::three'}
          made: {value: 2 + 1, enum: kind}
instances:
  any: {value: 'd[0] == outer::kind::four or b != kind::two'}
  idx: {value: 'd.size'}
  cmp: {value: 'b.to_i < 5'}
