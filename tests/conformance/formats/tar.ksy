meta:
  id: tar
  title: Tape archive
  file-extension: tar
  license: Apache-2.0
  encoding: UTF-8
  ks-version: 0.9
doc: |
  Members, each a header of 512 bytes and its data in as many blocks of 512 as
  it needs; numbers are text in base 8. Blocks of zeros end the archive.
doc-ref: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html
seq:
  - id: members
    type: member
    repeat: until
    repeat-until: _io.eof or _.is_end
  - id: padding
    size-eos: true
types:
  member:
    seq:
      - id: header
        type: header
        size: 512
      - id: data
        size: len_data
        if: not is_end
      - id: padding
        size: -len_data & 511
        if: not is_end
    instances:
      is_end:
        value: header.name == "" and header.magic == ""
      len_data:
        value: '(is_end or not header.has_data) ? 0 : header.size.to_i(8)'
      long_name:
        value: 'data.to_s("UTF-8")'
        if: not is_end and header.kind == kinds::pax and len_data > 0
  header:
    seq:
      - id: name
        type: strz
        size: 100
      - id: mode
        type: octal(8)
      - id: uid
        type: octal(8)
      - id: gid
        type: octal(8)
      - id: size
        type: str
        size: 12
        terminator: 0
        encoding: ASCII
      - id: mtime
        type: octal(12)
      - id: checksum
        type: octal(8)
      - id: kind
        type: u1
        enum: kinds
      - id: link
        type: strz
        size: 100
      - id: magic
        type: str
        size: 6
        terminator: 0
        encoding: ASCII
        valid:
          any-of: ['"ustar"', '"ustar  "', '""']
      - id: version
        size: 2
      - id: user
        type: strz
        size: 32
      - id: group
        type: strz
        size: 32
      - id: device
        type: octal(8)
        repeat: expr
        repeat-expr: 2
      - id: prefix
        type: strz
        size: 155
    instances:
      has_data:
        value: |
          kind == kinds::file or
          kind == kinds::old_file or
          kind == kinds::pax or
          kind == kinds::global_pax
  octal:
    params:
      - id: len
        type: u1
    seq:
      - id: text
        type: str
        size: len
        terminator: 0x20
        pad-right: 0
        encoding: ASCII
    instances:
      value:
        value: text.to_i(8)
        if: text.length > 0
enums:
  kinds:
    0:
      id: old_file
      doc: As version 7 of Unix wrote it.
    0x30: file
    0x31:
      id: hard_link
      -orig-id: LNKTYPE
    0x32: symbolic_link
    0x35: directory
    0x67: global_pax
    0x78: pax
