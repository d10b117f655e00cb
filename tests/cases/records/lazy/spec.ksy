meta:
  id: lazy
  endian: be
doc: A directory, whose bodies lie elsewhere, and a tail found from the end of the file.
seq:
  - id: num_entries
    type: u2
  - id: entries
    type: entry
    repeat: expr
    repeat-expr: num_entries
instances:
  tail:
    pos: _io.size - 4
    type: u4
  size:
    value: _io.size
to-string: '"lazy " + num_entries.to_s'
types:
  entry:
    seq:
      - id: ofs_body
        type: u4
      - id: len_body
        type: u4
      - id: kind
        type: u1
        enum: kind
    instances:
      body:
        pos: ofs_body
        size: len_body
        io: _root._io
        if: kind != kind::hole
enums:
  kind:
    0: hole
    1: plain
