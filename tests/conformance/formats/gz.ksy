meta:
  id: gz
  title: gzip file with one member
  file-extension: gz
  license: Apache-2.0
  endian: le
  bit-endian: le
doc: |
  One member of RFC 1952: a header whose optional parts its flags announce, a
  deflate stream, and a trailer with what the data has to come to.
doc-ref: https://www.rfc-editor.org/rfc/rfc1952
seq:
  - id: magic
    contents: [0x1f, 0x8b]
    -orig-id: ID1, ID2
  - id: method
    type: u1
    enum: methods
    valid: methods::deflate
  - id: is_text
    type: b1
  - id: has_header_crc
    type: b1
  - id: has_extra
    type: b1
  - id: has_name
    type: b1
  - id: has_comment
    type: b1
  - id: reserved
    type: b3
    valid: 0
  - id: mod_time
    type: u4
    doc: Seconds since 1970, 0 where there is none.
  - id: extra_flags
    type:
      switch-on: method
      cases:
        methods::deflate: deflate_flags
  - id: os
    type: u1
    enum: systems
  - id: extra
    type: extra
    if: has_extra
  - id: name
    type: strz
    encoding: ISO-8859-1
    if: has_name
  - id: comment
    type: strz
    encoding: ISO-8859-1
    if: has_comment
  - id: header_crc
    type: u2
    if: has_header_crc
  - id: body
    size: _io.size - _io.pos - 8
  - id: body_crc
    type: u4
  - id: len_data
    type: u4
    -orig-id: ISIZE
types:
  deflate_flags:
    seq:
      - id: level
        type: u1
        enum: levels
    enums:
      levels:
        0: none
        2: best
        4: fast
  extra:
    seq:
      - id: len_fields
        type: u2
      - id: fields
        type: fields
        size: len_fields
  fields:
    seq:
      - id: fields
        type: field
        repeat: eos
  field:
    seq:
      - id: id
        size: 2
      - id: len_data
        type: u2
      - id: data
        size: len_data
instances:
  is_plain:
    value: not has_extra and not has_name and not has_comment
enums:
  methods:
    8:
      id: deflate
      doc: The only one that was ever used.
  systems:
    0: fat
    3: unix
    11: ntfs
    0xff: unknown
