meta: {id: words, endian: le, bit-endian: le}
doc: Chunk words as Lance has them, then bits of other widths in both orders.
seq:
  - {id: small_words, type: small_word, repeat: expr, repeat-expr: 2}
  - {id: mixed, type: mixed(3), repeat: eos}
types:
  small_word:
    -loom-scan: walk
    seq:
      - {id: log_num_values, type: b4, valid: {max: 12}}
      - {id: len_words, type: b12}
    instances:
      len_chunk:
        value: 8 * (len_words + 1)
        -loom-column: true
  mixed:
    -loom-scan: walk
    params:
      - {id: least, type: u1}
    seq:
      - {id: three, type: b3, valid: {min: least}, -loom-column: true}
      - {id: is_set, type: b1, -loom-column: true}
      - {id: across, type: b15}
      - {id: spare, type: b5, -loom-column: false}
      - {id: high, type: b4be, enum: kind, valid: {in-enum: true}}
      - {id: wide, type: b36be}
      - {id: byte_after, type: u1, if: is_set}
      - {id: long, type: b63}
      - {id: last, type: b1}
      - {id: rest, size: three}
enums:
  kind: {0: none, 1: one, 7: seven, 15: all}
