meta:
  id: layout
  endian: le
  encoding: UTF-8
doc: Sizes, counts, padding, bits and a checksum, as one record has them.
seq:
  - id: magic
    contents: LAY1
  - id: version
    type: b4
  - id: compressed
    type: b1
  - id: reserved
    type: b9
  - id: num_rows
    type: u2
  - id: len_payload
    type: u4
  - id: rows
    type: row
    repeat: expr
    repeat-expr: num_rows
  - id: payload
    size: len_payload
    process: zlib
  - id: title
    type: str
    size: 16
    pad-right: 0x20
    terminator: 0
  - id: note
    type: strz
    if: compressed
  - id: ends
    type: u1
    repeat: until
    repeat-until: _ == 0
  - id: body
    type: row
    size: 8
types:
  row:
    seq:
      - id: len_key
        type: u1
      - id: key
        size: len_key
      - id: at
        type: f8
        valid:
          min: 0.0
