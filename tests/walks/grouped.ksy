meta: {id: grouped, endian: be}
doc: Records with lists of records, bytes, text and integers of variable length.
seq:
  - {id: groups, type: group(3), repeat: expr, repeat-expr: 2}
  - {id: deltas, type: delta, repeat: eos}
types:
  group:
    -loom-scan: walk
    params:
      - {id: least, type: u1}
    seq:
      - {id: num_points, type: varint, -loom-varint: uleb128, valid: {expr: _.value < 100}}
      - {id: points, type: point(num_points.value), repeat: expr, repeat-expr: num_points.value}
      - {id: kind, type: u1}
      - {id: steps, type: varint, -loom-varint: zigzag, repeat: expr, repeat-expr: kind & 3, valid: {expr: _.value >= _index - least}}
      - {id: len_keys, type: u1, valid: {min: 1}}
      - {id: keys, size: len_keys, repeat: expr, repeat-expr: 'kind & 4 == 4 ? kind >> 4 : 0'}
      - {id: name, type: str, size: 3, encoding: UTF-8}
      - {id: codes, type: str, size: 2, encoding: ASCII, repeat: expr, repeat-expr: 2, if: kind & 8 == 8}
      - {id: len_body, type: u1}
      - id: body
        size: len_body
        type: {switch-on: kind & 3, cases: {0: pair, 1: marks, 2: words, 3: plain}}
      - {id: last, type: u1}
  point:
    params:
      - {id: most, type: u8}
    seq:
      - {id: x, type: u2, valid: {expr: _ != most}}
      - {id: len_label, type: u1}
      - {id: label, size: len_label}
      - {id: kind_of_point, type: u1}
      - {id: height, type: s4, if: kind_of_point == 1, -loom-default: -1}
      - id: shape
        type: {switch-on: kind_of_point, cases: {2: u1, 3: s2, 4: circle}}
    instances:
      twice: {value: 2 * x, -loom-column: true}
  circle:
    seq:
      - {id: radius, type: u2}
  marks:
    seq:
      - {id: entries, type: mark, repeat: eos}
  mark:
    seq:
      - {id: mark, type: u2, valid: {min: 2}}
      - {id: level, type: u1, if: mark > 7}
  pair:
    seq:
      - {id: entries, type: mark, repeat: expr, repeat-expr: 2}
  words:
    seq:
      - {id: word, type: u4, repeat: eos}
  plain:
    seq:
      - {id: only, type: u1}
      - {id: checked, type: mark, repeat: eos, -loom-column: false}
  delta:
    -loom-scan: walk
    seq:
      - {id: value, type: varint, -loom-varint: zigzag, valid: {expr: _.value != 5}}
  varint:
    seq:
      - {id: groups, type: u1, repeat: until, repeat-until: _ < 128}
    instances:
      value: {value: groups.last, doc: What other compilers take for the integer is of no account.}
