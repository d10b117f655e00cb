meta:
  id: index
  title: Block indexes of an HFile
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
  imports:
    - varints
doc: |
  Where an index is, and how many entries it has, is in the trailer (trailer.ksy).

  An index is a tree: the root comes after the data and is read when a file is
  opened; its entries point at blocks of the level below. There are two layouts,
  one for roots, here, and one for leaf and intermediate blocks, non_root_index.

  Keys are whole cell keys (see cell.ksy), those of a meta index bare names. HBase
  shortens a key to anything between the last cell before a block and its first
  cell. Such a fake key has the type 255; its family and qualifier are empty if the
  rows of the two cells differ. Hudi up to 1.2 writes keys of a length and a row
  alone.
doc-ref: https://hbase.apache.org/book.html#_hfile_format_2
params:
  - id: num_entries
    type: u4
    doc: The trailer has it, as data_index_count or meta_index_count.
seq:
  - id: entries
    type: root_entry
    repeat: expr
    repeat-expr: num_entries
  - id: mid_key
    type: mid_key
    if: _io.size - _io.pos >= 16
    doc: Only in a data index of two levels or more.
types:
  root_entry:
    doc: Where a block is, and its first key or one shortly before that; in a meta index, its name.
    seq:
      - id: offset
        type: s8
      - id: len_block
        type: s4
        doc: Bytes of the block with header and checksums.
      - id: len_key
        type: varints::hadoop_vlong
        doc: |
          Hudi 1.1 writes protobuf's varint, which differs from 128 on. That is the form if
          only it leads from entry to entry to the end of the payload, where a mid_key may
          be, and to blocks that follow one another.
      - id: key
        size: len_key.value
  mid_key:
    doc: Where the middle of the file is, for splitting it in two.
    seq:
      - id: ofs_leaf
        type: s8
      - id: len_leaf
        type: s4
        doc: Bytes of the leaf block with header and checksums.
      - id: entry
        type: s4
        doc: The number of the entry in that leaf.
  non_root_index:
    doc: |
      The payload of a leaf or intermediate block. The length of a key is the
      distance from one offset to the next, less the twelve bytes before it.
    seq:
      - id: num_entries
        type: s4
        valid:
          min: 0
      - id: offsets
        type: s4
        repeat: expr
        repeat-expr: num_entries + 1
        doc: Where each entry begins, and where the last one ends, from the end of this table.
      - id: entries
        type: entry(offsets[_index + 1] - offsets[_index] - 12)
        repeat: expr
        repeat-expr: num_entries
  entry:
    doc: Where a block is, and its first key or one shortly before that.
    params:
      - id: len_key
        type: s4
    seq:
      - id: offset
        type: s8
      - id: len_block
        type: s4
        doc: Bytes of the block with header and checksums.
      - id: key
        size: len_key
