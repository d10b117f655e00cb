meta:
  id: container
  title: Avro's object container files
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
doc: |
  A file of records in Avro's binary form: a header with their schema, and blocks, each
  of some records, compressed as the header says.

      magic | metadata | sync | block | block | ...

      block: num_objects | len_objects | objects | sync

  What a record is follows from the schema, which this language cannot say.
doc-ref: https://avro.apache.org/docs/1.12.0/specification/#object-container-files
seq:
  - id: header
    type: header
  - id: blocks
    type: block(header.sync)
    repeat: eos
types:
  header:
    doc: The beginning of a file.
    seq:
      - id: magic
        contents: ['Obj', 1]
      - id: metadata
        -orig-id: meta
        type: metadata_block
        repeat: until
        repeat-until: _.num_entries.value == 0
        doc: A map of text to bytes, in blocks. The last block is the one without entries.
      - id: sync
        size: 16
        doc: Drawn at random for each file. Every block ends with the same bytes.
  metadata_block:
    doc: Some entries of the map.
    doc-ref: https://avro.apache.org/docs/1.12.0/specification/#maps-1
    seq:
      - id: num_entries
        -orig-id: count
        type: long
        -loom-varint: zigzag
        doc: Negative where the size of the entries follows; there are as many without the sign.
      - id: len_entries
        type: long
        if: num_entries.value < 0
        valid:
          expr: _.value >= 0
        -loom-varint: zigzag
        doc: Number of bytes of the entries, for readers that skip them. Other readers ignore it.
      - id: entries
        type: metadata_entry
        repeat: expr
        repeat-expr: 'num_entries.value < 0 ? -num_entries.value : num_entries.value'
  metadata_entry:
    doc: |
      A property of the file. `avro.schema` is the schema of its records as JSON, and
      `avro.codec` what compresses the objects of a block: `null` or nothing, `deflate`, or
      an optional one. Other names that begin with `avro.` are reserved.
    seq:
      - id: len_key
        type: long
        valid:
          expr: _.value >= 0
        -loom-varint: zigzag
      - id: key
        type: str
        size: len_key.value
        encoding: UTF-8
      - id: len_value
        type: long
        valid:
          expr: _.value >= 0
        -loom-varint: zigzag
      - id: value
        size: len_value.value
  block:
    doc: Some records, and the marker by which readers find the next block after damage.
    -loom-scan: walk
    params:
      - id: marker
        type: bytes
        doc: The sync marker of the file's header.
    seq:
      - id: head
        type: block_head
      - id: objects
        size: head.len_objects.value
        -loom-column: false
        doc: Records one after another, after the codec.
      - id: sync
        size: 16
        valid: marker
        -loom-column: false
  block_head:
    doc: The beginning of a block, before its records.
    seq:
      - id: num_objects
        -orig-id: count
        type: long
        valid:
          expr: _.value >= 0
        -loom-varint: zigzag
        -loom-column: true
        doc: Records of the block.
      - id: len_objects
        -orig-id: size
        type: long
        valid:
          expr: _.value >= 0
        -loom-varint: zigzag
        -loom-column: true
        doc: Bytes of the records, as the codec has compressed them.
  long:
    doc: |
      An integer from -2^63 to 2^63 - 1 in one to ten bytes, seven bits in each, lowest
      first; the eighth bit says that another byte follows. Its sign is the lowest bit.
    doc-ref: https://avro.apache.org/docs/1.12.0/specification/#primitive-types-1
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: _ < 128 or _index == 9
    instances:
      n:
        value: groups.size
      word:
        value: |
          (groups[0] & 127)
          + (n >= 2 ? (groups[1] & 127) << 7 : 0)
          + (n >= 3 ? (groups[2] & 127) << 14 : 0)
          + (n >= 4 ? (groups[3] & 127) << 21 : 0)
          + (n >= 5 ? (groups[4] & 127) << 28 : 0)
          + (n >= 6 ? (groups[5] & 127) << 35 : 0)
          + (n >= 7 ? (groups[6] & 127) << 42 : 0)
          + (n >= 8 ? (groups[7] & 127) << 49 : 0)
          + (n >= 9 ? (groups[8] & 127) << 56 : 0)
          + (n >= 10 ? (groups[9] & 1) << 63 : 0)
      value:
        value: 'word % 2 == 0 ? word / 2 : -(word / 2) - 1'
