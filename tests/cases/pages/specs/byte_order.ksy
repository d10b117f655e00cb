meta: {id: byte_order}
seq:
  - {id: mark, type: u1}
  - {id: text, type: strz, encoding: ASCII}
  - {id: bits, type: b4}
  - {id: rest, type: b4}
  - {id: body, type: body}
types:
  body:
    meta:
      endian: {switch-on: _root.mark, cases: {0x49: le, 0x4d: be}}
    seq: [{id: x, type: u2}]
