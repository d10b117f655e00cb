meta: {id: marked, endian: be}
doc: Records that end with bytes that a parameter says.
seq:
  - {id: parts, type: 'part([77, 1], 1)', repeat: eos}
types:
  part:
    -loom-scan: walk
    params:
      - {id: mark, type: bytes}
      - {id: least, type: u1}
    seq:
      - {id: len_body, type: u1, valid: {min: least}}
      - {id: body, size: len_body}
      - {id: end, size: 15, valid: mark, -loom-column: false}
      - {id: mark_size, type: u1}
