meta:
  id: delimited
  title: A protobuf message after its length
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
  imports:
    - varints
doc: |
  A protobuf message after its length. The message is described in
  messages.proto.
doc-ref: https://protobuf.dev/programming-guides/encoding/
seq:
  - id: len_message
    type: varints::protobuf_varint
  - id: message
    size: len_message.value
