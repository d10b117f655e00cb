meta: {id: stored, endian: le}
seq:
  - {id: big, type: u8}
  - {id: real, type: f8}
  - {id: raw, size: 2}
  - {id: text, type: str, size: 3, encoding: ASCII}
  - {id: subs, type: sub, repeat: eos}
types:
  sub: {seq: [{id: part, size: 1}]}
  counted:
    params: [{id: count, type: u1}, {id: key, type: bytes}, {id: is_on, type: bool}]
    seq: [{id: a, type: u1, repeat: expr, repeat-expr: count, if: is_on}]
  sized:
    params: [{id: n, type: u4}]
    seq: [{id: a, size: n}]
