meta:
  id: counts
  endian: le
seq:
  - id: num
    type: u4
  - id: counts
    type: varint
    -loom-varint: uleb128
    repeat: expr
    repeat-expr: num
types:
  varint:
    seq:
      - id: groups
        type: group
        repeat: until
        repeat-until: not _.has_next
    instances:
      last:
        value: groups.size - 1
      value:
        value: |
          groups[last].value
          + (last >= 1 ? (groups[last - 1].value << 7) : 0)
          + (last >= 2 ? (groups[last - 2].value << 14) : 0)
  group:
    seq:
      - id: has_next
        type: b1
      - id: value
        type: b7
