meta: {id: bson, license: Apache-2.0, endian: le}
doc: A document of named values, some of which are documents.
seq:
  - id: len
    type: s4
  - id: fields
    type: elements
    size: len - 5
  - id: end
    contents: [0]
types:
  elements:
    seq:
      - id: elements
        type: element
        repeat: eos
  element:
    seq:
      - id: type
        type: u1
        enum: types
      - id: name
        type: name
      - id: content
        type:
          switch-on: type
          cases:
            types::double: f8
            types::text: text
            types::document: bson
            types::array: bson
            types::binary: binary
            types::object_id: object_id
            types::boolean: u1
            types::date: s8
            types::int32: s4
            types::timestamp: timestamp
            types::int64: s8
  name:
    seq:
      - id: text
        type: strz
        encoding: UTF-8
  text:
    seq:
      - id: len
        type: s4
      - id: text
        type: str
        size: len - 1
        encoding: UTF-8
      - id: end
        contents: [0]
  binary:
    seq:
      - id: len_data
        type: s4
      - id: kind
        type: u1
      - id: data
        size: len_data
  object_id:
    seq:
      - id: epoch
        type: u4be
      - id: machine
        type: b24be
      - id: process
        type: u2
      - id: counter
        type: b24be
  timestamp:
    seq:
      - id: increment
        type: u4
      - id: seconds
        type: u4
enums:
  types:
    1: double
    2: text
    3: document
    4: array
    5: binary
    7: object_id
    8: boolean
    9: date
    16: int32
    17: timestamp
    18: int64
