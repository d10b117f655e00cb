meta:
  id: messages
  title: Protobuf messages of an HFile, field by field
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
  imports:
    - varints
doc: |
  A protobuf message on the wire: fields in any order, each with its number. What
  the numbers mean stands in messages.proto. Of a number that is met twice the
  last one counts, unless the field is repeated.
doc-ref: https://protobuf.dev/programming-guides/encoding/
seq:
  - id: fields
    type: field
    repeat: eos
types:
  field:
    seq:
      - id: key
        type: varints::protobuf_varint
        doc: The field's number, and below it three bits that say how it is stored.
      - id: varint
        type: varints::protobuf_varint
        if: wire_type == 0
      - id: fixed64
        type: u8
        if: wire_type == 1
      - id: len_bytes
        type: varints::protobuf_varint
        if: wire_type == 2
      - id: bytes
        size: len_bytes.value
        if: wire_type == 2
      - id: fixed32
        type: u4
        if: wire_type == 5
    instances:
      wire_type:
        value: key.value & 7
      number:
        value: key.value >> 3
  delimited:
    doc: A message behind its length.
    seq:
      - id: len_message
        type: varints::protobuf_varint
      - id: message
        size: len_message.value
        doc: The fields of messages.
