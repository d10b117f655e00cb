meta: {id: listed, endian: be}
doc: Records with lists of numbers.
seq:
  - {id: runs, type: run, repeat: eos}
types:
  run:
    -loom-scan: walk
    seq:
      - {id: num_offsets, type: u1}
      - {id: base, type: u1}
      - {id: offsets, type: u2, repeat: expr, repeat-expr: num_offsets}
      - {id: kind, type: u1}
      - {id: counts, type: u4le, repeat: expr, repeat-expr: kind & 3, if: kind & 4 == 4}
      - id: levels
        type: s2
        repeat: expr
        repeat-expr: 'base > 200 ? -1 : base & 3'
        valid: {min: _index}
      - id: body
        type: {switch-on: kind >> 4, cases: {1: wide, 2: narrow, 3: wide}}
      - {id: spare, type: u1, repeat: expr, repeat-expr: base & 1, -loom-column: false}
      - {id: last, type: u1}
  wide:
    seq:
      - {id: num_words, type: u1}
      - {id: words, type: s8, repeat: expr, repeat-expr: num_words, valid: {expr: _ != 9}}
  narrow:
    seq:
      - {id: words, type: s8, repeat: expr, repeat-expr: 1, valid: {any-of: [0, 1, 2]}}
      - {id: shares, type: f4, repeat: expr, repeat-expr: 2}
