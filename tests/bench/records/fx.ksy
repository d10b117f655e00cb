meta:
  id: fx
  endian: le
seq:
  - id: rows
    type: row
    repeat: eos
types:
  row:
    seq:
      - id: at
        type: u8
      - id: a
        type: u4
      - id: b
        type: u4
