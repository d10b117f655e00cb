# data: 0102030405060708
meta: {id: nested_same, endian: le}
seq:
  - {id: a, type: header}
  - {id: b, type: body}
  - {id: c, type: body::header}
  - {id: d, type: 'body::body'}
types:
  header:
    seq: [{id: k, type: u1, enum: kind}]
    enums: {kind: {1: top}}
  body:
    seq: [{id: h, type: header}, {id: k, type: u1, enum: header::kind}]
    types:
      header:
        seq: [{id: k, type: u1, enum: kind}, {id: l, type: u1, enum: kind}]
        enums: {kind: {2: mid, 3: three}}
        instances:
          is_mid: {value: 'k == kind::mid'}
          lab: {value: 'kind::three'}
      body:
        seq: [{id: h, type: header}]
