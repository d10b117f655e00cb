meta:
  id: sample
  endian: be
to-string: '"sample of " + size.to_s'
seq:
  - id: ofs_body
    type: u4
instances:
  size:
    value: _io.size
  body:
    doc: Stands where the header says.
    pos: ofs_body
    size: size - ofs_body
    type: part
    if: ofs_body > 0
  first:
    io: body._io
    pos: 0
    type: u1
    valid:
      min: 1
      max: 9
types:
  part:
    seq:
      - id: bytes
        type: s2
        repeat: eos
