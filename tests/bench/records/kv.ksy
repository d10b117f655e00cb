meta:
  id: kv
  endian: be
seq:
  - id: records
    type: record
    repeat: eos
types:
  record:
    seq:
      - id: len_key
        type: u4
      - id: len_value
        type: u4
      - id: key
        size: len_key
      - id: value
        size: len_value
      - id: kind
        type: u1
