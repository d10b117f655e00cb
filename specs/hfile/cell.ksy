meta:
  id: cell
  title: Cells, keys and tags of an HFile
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
  imports:
    - varints
doc: |
  A data block is cells one behind the other, up to its end. Two things that every
  cell of a file has or lacks stand in the file info: tags and sequence numbers.

  The encodings PREFIX, DIFF and FAST_DIFF store cells as differences from the one
  before. This language cannot say that; encoded.ksy describes the frame, and the
  cells become these by hand-written code.
doc-ref: https://hbase.apache.org/book.html#_keyvalue
params:
  - id: has_tags
    type: bool
  - id: has_mvcc
    type: bool
seq:
  - id: len_key
    type: s4
    valid:
      min: 2
  - id: len_value
    type: s4
    valid:
      min: 0
  - id: key
    size: len_key
    doc: A key; also what an index has for each block.
  - id: value
    size: len_value
  - id: len_tags
    type: u2
    if: has_tags
  - id: tags
    size: len_tags
    if: has_tags
    doc: Tags, one behind the other.
  - id: mvcc
    type: varints::hadoop_vlong
    if: has_mvcc
    doc: The sequence number of the write, 0 once nobody can tell older from newer.
types:
  key:
    doc: |
      What cells are ordered by: row, family and qualifier ascending as unsigned
      bytes, then timestamp and type descending. A key with type 0 and neither
      family nor qualifier stands behind its whole row.

      Hudi before 1.1 writes the row alone; Hudi since always the same ten bytes
      behind it.
    seq:
      - id: len_row
        type: u2
      - id: row
        size: len_row
      - id: columns
        type: columns
        if: not _io.eof
  columns:
    seq:
      - id: len_family
        type: u1
      - id: family
        size: len_family
      - id: qualifier
        size: _io.size - _io.pos - 9
      - id: timestamp
        type: s8
        doc: Milliseconds since 1970; 2^63 - 1 in keys that come before all times.
      - id: type
        type: u1
        enum: key_type
  tags:
    seq:
      - id: tags
        type: tag
        repeat: eos
  tag:
    seq:
      - id: len_tag
        type: u2
        valid:
          min: 1
        doc: Bytes of type and value.
      - id: type
        type: u1
      - id: value
        size: len_tag - 1
enums:
  key_type:
    0: minimum
    4: put
    8: delete
    10: delete_family_version
    12: delete_column
    14: delete_family
    255: maximum
