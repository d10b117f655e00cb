meta:
  id: entries
  endian: le
doc: Keys and values as a log keeps them.
seq:
  - id: entries
    type: entry
    repeat: eos
types:
  entry:
    seq:
      - id: len_key
        type: u4
      - id: len_value
        type: u4
      - id: key
        size: len_key
      - id: value
        size: len_value
      - id: flag
        type: u1
