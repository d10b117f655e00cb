meta: {id: tagged, endian: be}
doc: Values whose types other values decide.
seq:
  - {id: lengths, type: length, repeat: expr, repeat-expr: 2}
  - {id: entries, type: entry(true), repeat: eos}
types:
  length:
    -loom-scan: walk
    seq:
      - {id: width, type: u1}
      - id: len_data
        type: {switch-on: width, cases: {1: u1, 2: u2le, _: s4}}
        -loom-column: true
      - {id: data, size: len_data}
  entry:
    -loom-scan: walk
    params:
      - {id: has_price, type: bool}
    seq:
      - {id: tag, type: u1, enum: tag, valid: {in-enum: true}}
      - id: number
        type:
          switch-on: tag
          cases: {'tag::byte': u1, 'tag::point': s2, 'tag::long': s8, 'tag::long_too': s8}
        -loom-default: -1
        -loom-order: 1
      - id: price
        type: {switch-on: tag.to_i & 1, cases: {0: f4}}
        if: has_price
      - {id: len_body, type: u1}
      - id: body
        size: len_body
        type: {switch-on: tag, cases: {'tag::point': point, 'tag::long': nested, 'tag::long_too': nested}}
      - {id: last, type: u1}
  point:
    seq:
      - {id: x, type: s2, valid: {min: -100}}
      - {id: y, type: s2}
  nested:
    seq:
      - {id: kind, type: u1}
      - id: inner
        type: {switch-on: kind + _parent.tag.to_i, cases: {3: small, 4: point, 5: small}}
      - {id: has_level, type: u1}
      - {id: level, type: u1, if: has_level == 1}
  small:
    seq:
      - {id: x, type: s2}
      - {id: name, size: 2}
enums:
  tag: {0: nothing, 1: byte, 2: point, 3: long, 4: long_too}
