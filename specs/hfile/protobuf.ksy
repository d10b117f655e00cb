meta:
  id: protobuf
  title: How protobuf stores a message
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
  imports:
    - delimited
    - varints
doc: |
  A message is its fields one after another, in any order, up to the end of its bytes. Something
  outside it says where that is: here it is a length before it, as in a trailer and in a file info.
  Each field is a tag and a value. What the number in a tag means is in the table of the message,
  such as those of messages.proto.

      08           1 << 3 | 0: field 1, whose value is a varint
      96 01        0x16 + (0x01 << 7): 150

  How a value is stored follows from its type:

  - int32, int64, uint32, uint64, enums: a varint. Negative numbers are stored as 2^64 more than
    they are, in ten bytes: -1 as 2^64 - 1.
  - bool: a varint, 0 or 1. Any other than 0 is true.
  - sint32, sint64: a varint in zigzag form, in which small negative numbers are short: 0, -1, 1, -2
    are stored as 0, 1, 2, 3. The number is n >> 1 if n is even, else -1 - (n >> 1).
  - fixed64, sfixed64, double: eight bytes, little-endian.
  - fixed32, sfixed32, float: four bytes, little-endian.
  - string (in UTF-8), bytes, a message: a length as a varint, then that many bytes.
  - repeated: the field occurs once for each element, in order. Numbers may be packed: one field of
    wire type 2 whose bytes are the values without tags. Readers take both, and mixtures.
  - map: a repeated message, whose field 1 is the key and whose field 2 is the value.

  A field that is absent has its default: what the table says after "else", or 0, false, or no
  bytes. Where a field that is not repeated occurs several times, the last one counts. A field whose
  number the table lacks is skipped, as its wire type says.
doc-ref: https://protobuf.dev/programming-guides/encoding/
seq:
  - id: len_message
    type: varints::protobuf_varint
  - id: message
    size: len_message.value
    type: message
types:
  message:
    seq:
      - id: fields
        type: field
        repeat: eos
  field:
    seq:
      - id: tag
        type: varints::protobuf_varint
        valid:
          expr: number >= 1 and number <= 536870911 and (wire_type.to_i <= 2 or wire_type.to_i == 5)
        doc: The number of the field, and how its value is stored.
      - id: value
        type:
          switch-on: wire_type
          cases:
            'wire_types::varint': varints::protobuf_varint
            'wire_types::eight_bytes': u8
            'wire_types::length': delimited
            'wire_types::four_bytes': u4
    instances:
      number:
        value: tag.value >> 3
      wire_type:
        value: tag.value & 7
        enum: wire_types
    enums:
      wire_types:
        0: varint
        1: eight_bytes
        2:
          id: length
          doc: A length, then that many bytes.
        5: four_bytes
