meta: {id: laid, endian: be, bit-endian: le}
doc: Records that are put from columns, with bits, lists and values whose types others decide.
seq:
  - {id: words, type: word, repeat: expr, repeat-expr: 2}
  - {id: entries, type: entry(true), repeat: eos}
types:
  word:
    -loom-scan: walk
    -loom-put: true
    seq:
      - {id: log_num_values, type: b4, valid: {max: 12}}
      - {id: len_words, type: b12}
      - {id: is_last, type: b1, -loom-column: true}
      - {id: across, type: b15}
      - {id: wide, type: b36be}
      - {id: long, type: b63be}
      - {id: after, type: u1}
      - {id: len_less_one, type: u1, -loom-column: false}
    instances:
      len_chunk: {value: 8 * (len_less_one + 1), -loom-column: true}
      sum: {value: after + len_words, -loom-column: true}
  entry:
    -loom-scan: walk
    -loom-put: true
    params:
      - {id: has_price, type: bool}
    seq:
      - {id: num_offsets, type: u1}
      - {id: offsets, type: u2le, repeat: expr, repeat-expr: num_offsets, valid: {min: _index}}
      - {id: tag, type: u1}
      - {id: counts, type: u8, repeat: expr, repeat-expr: tag & 3}
      - id: number
        type: {switch-on: tag, cases: {1: u1, 2: s2, 3: s8, 4: u4}}
        -loom-default: -1
      - {id: len_body, type: u2}
      - id: body
        size: len_body
        type: {switch-on: tag & 7, cases: {1: point, 2: points, 3: names, 4: pair}}
      - {id: price, type: {switch-on: tag & 1, cases: {0: u4, 1: u4le}}, if: has_price}
      - {id: last, type: s1, repeat: expr, repeat-expr: 2, if: tag > 1}
  point:
    seq:
      - {id: x, type: s2, valid: {min: -100}}
      - {id: y, type: u4}
  points:
    seq:
      - {id: num_points, type: u1}
      - {id: points, type: mark, repeat: expr, repeat-expr: num_points}
  pair:
    seq:
      - {id: points, type: mark, repeat: expr, repeat-expr: 2}
      - {id: x, type: s2}
  mark:
    seq:
      - {id: mark, type: u2, valid: {min: 2}}
      - {id: len_label, type: u1}
      - {id: label, size: len_label - 1}
      - {id: level, type: u1, if: mark > 7}
  names:
    seq:
      - {id: names, size: 2, repeat: eos}
