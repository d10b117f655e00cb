meta:
  id: pairs
  endian: le
doc: Keys with values, one after another.
seq:
  - id: len_pairs
    type: u8
  - id: block
    type: block
    size: len_pairs
types:
  block:
    seq:
      - id: pairs
        type: pair
        repeat: until
        repeat-until: _.is_last == 1 or _io.eof
  pair:
    seq:
      - id: len_key
        type: u4
      - id: len_value
        type: u8
      - id: key
        size: len_key
      - id: value
        size: len_value
      - id: is_last
        type: u1
