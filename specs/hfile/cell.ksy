meta:
  id: cell
  title: Cells, keys and tags of an HFile
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
  imports:
    - varints
doc: |
  A data block is cells one after the other, up to its end. The file info says what
  every cell of a file has or lacks: tags and sequence numbers. Cells of Hudi before
  1.1 have keys without columns.

  The encodings PREFIX, DIFF and FAST_DIFF store cells as differences from the one
  before. This language cannot say that; encoded.ksy describes the frame, and the
  cells become these by hand-written code.
doc-ref: https://hbase.apache.org/book.html#_keyvalue
-loom-scan: walk
-loom-put: true
params:
  - id: has_columns
    type: bool
    doc: |
      Keys continue after the row. True except in files of Hudi before 1.1, whose blocks have no
      checksums (block.ksy).
  - id: has_tags
    type: bool
    doc: The file info has the entry hfile.MAX_TAGS_LEN.
  - id: has_mvcc
    type: bool
    doc: |
      True if the entry KEY_VALUE_VERSION of the file info is 1, and in all files of Hudi before
      1.1, which lack the entry: their cells have the byte no_mvcc.
  - id: is_mvcc_wide
    type: bool
    doc: |
      Sequence numbers may be other than 0: the entry MAX_MEMSTORE_TS_KEY of the file info is
      there, and above 0.
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
    type: key(has_columns)
    size: len_key
    doc: An index has the same form for each block.
  - id: value
    size: len_value
  - id: len_tags
    type: u2
    if: has_tags
  - id: tags
    type: tags
    size: len_tags
    if: has_tags
    -loom-arrow: binary_view
  - id: mvcc
    type: varints::hadoop_vlong
    if: has_mvcc and is_mvcc_wide
    -loom-varint: hadoop
    doc: |
      The sequence number of the write, 0 once no reader needs to compare it with others. Of cells
      with equal keys, the one with the greatest number comes first.
  - id: no_mvcc
    type: u1
    valid: 0
    if: has_mvcc and not is_mvcc_wide
    -loom-column: false
    doc: The sequence number where all of a file are 0.
types:
  key:
    doc: |
      What cells are ordered by: row, family and qualifier ascending as unsigned
      bytes, then timestamp and type descending. A key with type 0 and neither
      family nor qualifier comes after its whole row.

      Hudi before 1.1 writes the row alone; Hudi since always the same ten bytes
      after it.
    params:
      - id: has_columns
        type: bool
    seq:
      - id: len_row
        type: u2
        valid:
          min: 'has_columns ? 0 : _io.size - 2'
          max: 32767
      - id: row
        size: len_row
        -loom-order: 1
      - id: columns
        type: columns
        if: has_columns
  columns:
    doc: What follows the row in a key.
    seq:
      - id: len_family
        type: u1
        valid:
          max: 127
      - id: family
        size: len_family
        -loom-order: 3
      - id: qualifier
        size: _io.size - _io.pos - 9
        -loom-order: 4
      - id: timestamp
        type: s8
        -loom-order: -5
        -loom-default: 9223372036854775807
        doc: Milliseconds since 1970; 2^63 - 1 in keys that come before all times.
      - id: type
        type: u1
        enum: key_type
        valid:
          in-enum: true
        -loom-order: -6
        -loom-default: 4
    instances:
      is_last:
        value: family.size + qualifier.size + type.to_i == 0
        -loom-order: 2
        doc: Whether the key comes after its whole row.
  tags:
    doc: The tags of a cell, one after another.
    seq:
      - id: tags
        type: tag
        repeat: eos
  tag:
    doc: Facts about a cell besides its value, such as when it expires.
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
