meta:
  id: sample
  endian: le
  encoding: UTF-8
  imports: []
doc: |
  Every way to read a field.
doc-ref: https://example.org/sample
seq:
  - id: magic
    contents: [0x53, 0x1a]
  - id: kind
    type: u1
    enum: kind
    valid:
      in-enum: true
  - id: is_long
    type: b1
  - id: reserved
    type: b7
  - id: name
    type: strz
  - id: len_items
    type: u2
    if: is_long
  - id: items
    type: item(_index)
    repeat: expr
    repeat-expr: 2
    size: 3
    process: xor(0x5a)
  - id: body
    type:
      switch-on: kind
      cases:
        kind::plain: u4
        kind::nested: item(0)
  - id: rest
    type: u1
    repeat: until
    repeat-until: _ == 0
types:
  item:
    params:
      - id: number
        type: u1
    seq:
      - id: value
        size-eos: true
        pad-right: 0x20
enums:
  kind:
    1: plain
    2: nested
