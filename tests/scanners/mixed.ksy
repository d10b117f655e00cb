meta:
  id: mixed
seq:
  - {id: order, type: u1}
  - {id: level, type: u1}
  - {id: items, type: 'item(level % 3)', repeat: eos}
types:
  item:
    meta: {endian: {switch-on: _root.order, cases: {1: be, _: le}}}
    params: [{id: deep, type: u1}]
    seq:
      - {id: kind, type: u1, enum: kinds, valid: {in-enum: true}}
      - id: body
        type:
          switch-on: kind
          cases:
            kinds::byte: u1
            kinds::large: u8
            kinds::below: s2
            kinds::real: f4
            kinds::pair: pair
            kinds::text: text
            kinds::named: named
            kinds::nothing: nothing
            kinds::flagged: flagged
      - {id: extra, type: u2, if: _root.level > 100}
      - {id: blob, size: deep, process: xor(0x5a)}
      - {id: num_inner, type: b2}
      - {id: odd, type: b1}
      - {id: rest, type: b5}
      - {id: inner, type: item(0), repeat: expr, repeat-expr: 'deep == 0 ? 0 : num_inner'}
    types:
      pair:
        seq:
          - {id: left, type: u2}
          - {id: right, type: u2, enum: kinds}
      text:
        seq:
          - {id: len, type: u1}
          - {id: text, type: str, size: len, encoding: UTF-16LE}
      named: {seq: [{id: class, type: s4, doc: A word of Python.}, {id: xs, type: u1, repeat: expr, repeat-expr: class & 3}]}
      nothing: {seq: []}
      flagged: {seq: [{id: magic, contents: ok}, {id: note, type: strz, encoding: ASCII}]}
enums:
  kinds: {0: none, 1: byte, 2: large, 3: below, 4: real, 5: pair, 6: text, 7: nothing, 8: flagged, 9: named}
