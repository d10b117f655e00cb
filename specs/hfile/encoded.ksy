meta:
  id: encoded
  title: The frames of encoded data blocks of an HFile
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
doc: |
  The payload of a DATABLKE block says first how its cells are encoded: 2 PREFIX,
  3 DIFF, 4 FAST_DIFF, 7 ROW_INDEX_V1. What follows for the first three is a size
  and cells as differences, which this language cannot say.
doc-ref: https://hbase.apache.org/book.html#data.block.encoding.types
seq:
  - id: encoding
    type: u2
    enum: encoding
    valid:
      in-enum: true
  - id: len_decoded
    type: s4
    if: encoding != encoding::row_index_v1
    valid:
      min: 0
    doc: Bytes of the cells once decoded, tags and sequence numbers with them.
  - id: body
    size-eos: true
types:
  row_index:
    doc: The body of a ROW_INDEX_V1 block, which ends with the offset of each row.
    seq:
      - id: cells
        size: len_cells
        doc: Cells as in a plain data block.
      - id: num_rows
        type: s4
        valid:
          min: 0
      - id: row_offsets
        type: s4
        repeat: expr
        repeat-expr: num_rows
        doc: Where the first cell of each row begins, from the first cell of all.
      - id: len_cells_end
        type: s4
        valid: len_cells
    instances:
      len_cells:
        pos: _io.size - 4
        type: s4
        valid:
          min: 0
enums:
  encoding:
    2: prefix
    3: diff
    4: fast_diff
    7: row_index_v1
