meta: {id: protobuf, license: Apache-2.0, endian: le}
doc: The fields of a message, as far as they can be known without its schema.
seq:
  - id: pairs
    type: pair
    repeat: eos
types:
  pair:
    seq:
      - id: key
        type: varint
      - id: value
        type:
          switch-on: wire_type
          cases:
            wire_types::varint: varint
            wire_types::eight_bytes: u8
            wire_types::counted: counted
            wire_types::four_bytes: u4
    instances:
      wire_type:
        value: key.value & 7
        enum: wire_types
      number:
        value: key.value >> 3
  counted:
    seq:
      - id: len
        type: varint
      - id: body
        size: len.value
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
          groups[0].value
          + (last >= 1 ? groups[1].value << 7 : 0)
          + (last >= 2 ? groups[2].value << 14 : 0)
          + (last >= 3 ? groups[3].value << 21 : 0)
          + (last >= 4 ? groups[4].value << 28 : 0)
  group:
    seq:
      - id: byte
        type: u1
    instances:
      has_next:
        value: (byte & 0x80) != 0
      value:
        value: byte & 0x7f
enums:
  wire_types:
    0: varint
    1: eight_bytes
    2: counted
    5: four_bytes
