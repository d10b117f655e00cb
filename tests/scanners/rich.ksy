meta:
  id: rich
  endian: le
  encoding: UTF-8
doc: Records that differ in size, with most of what a scanner has to know.
seq:
  - id: magic
    contents: RICH
  - id: num_rows
    type: u4
  - id: rows
    type: row
    repeat: expr
    repeat-expr: num_rows
  - id: trailer
    type: u1
    valid: 7
types:
  row:
    seq:
      - id: kind
        type: u1
        enum: kinds
        valid:
          in-enum: true
      - id: colour
        type: s1
        enum: kinds
      - id: is_red
        type: b1
      - id: level
        type: b3
        valid:
          max: 6
      - id: has_note
        type: b1
      - id: rest
        type: b11
      - id: big
        type: s8be
      - id: wide
        type: u8
      - id: ratio
        type: f4
      - id: len_name
        type: u2be
        valid:
          max: 300
      - id: name
        type: str
        size: len_name
      - id: note
        type: strz
        if: has_note
      - id: where
        type: spot
      - id: uuid
        size: 4
      - id: num_xs
        type: u1
      - id: xs
        type: s2
        repeat: expr
        repeat-expr: num_xs
      - id: num_parts
        type: u1
        valid:
          max: 5
      - id: parts
        type: part
        repeat: expr
        repeat-expr: num_parts
      - id: code
        type: str
        size: 6
        pad-right: 32
        terminator: 0
        encoding: ASCII
      - id: tags
        type: tagged
        repeat: until
        repeat-until: _.tag == 0
      - id: elsewhere
        type: spot
        if: kind == kinds::two and len_name > 2
    instances:
      total:
        value: num_xs * 2 + len_name
        -loom-column: total
  part:
    seq:
      - id: len_inner
        type: u1
      - id: inner
        type: inner
        size: len_inner
  inner:
    seq:
      - id: values
        type: u1
        repeat: eos
  tagged:
    seq:
      - id: tag
        type: u1
      - id: sign
        type: str
        size: 2
        encoding: ISO-8859-1
  spot:
    seq:
      - id: x
        type: s2
      - id: y
        type: s4
enums:
  kinds:
    1: one
    2: two
    3: three
