# data: 010203
meta: {id: param_sw2, endian: le, encoding: UTF-8}
seq: [{id: a, type: 'p(1, _root, _io, e::x, [1, 2].as<bytes>)'}]
types:
  p:
    params:
      - {id: n, type: u1}
      - {id: r, type: struct}
      - {id: s, type: io}
      - {id: e, type: u1, enum: e}
      - {id: l, type: bytes}
    seq: [{id: first, type: u1}]
    instances: {v: {value: 's.size + n + l[0]'}, w: {value: 'e == e::x'}, io2: {io: s, pos: 2, type: u1}}
enums: {e: {1: x}}
