meta: {id: forked, endian: be}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: kind, type: u1, enum: kinds}
      - {id: len_body, type: u1}
      - id: maybe
        if: len_body > 9
        type: {switch-on: len_body, cases: {10: list, 11: list, 12: pair}}
      - id: body
        size: len_body
        type: {switch-on: kind, cases: {kinds::pair: pair, kinds::list: list, kinds::deep: deep, kinds::marked: marked}}
      - id: tail
        type: {switch-on: len_body % 4, cases: {1: u2, 3: u2}}
      - id: always
        type: {switch-on: kind, cases: {kinds::pair: u4, _: u4}}
      - {id: items, type: deep, repeat: expr, repeat-expr: len_body % 3}
  pair:
    seq:
      - {id: left, type: s2}
      - {id: right, type: f4, if: left > 0}
  list:
    seq:
      - {id: num_xs, type: u1}
      - {id: xs, type: pair, repeat: expr, repeat-expr: num_xs}
      - {id: rest, size: 2}
  marked: {seq: [{id: magic, contents: M}]}
  deep:
    seq:
      - {id: on, type: b2}
      - {id: spare, type: b6, valid: {max: 60}}
      - id: inner
        type: {switch-on: on, cases: {0: list, 1: pair, 2: marked}}
enums:
  kinds: {0: none, 1: pair, 2: list, 3: deep, 4: marked}
