meta:
  id: deletion_vector
  title: Iceberg deletion vector (Puffin blob deletion-vector-v1)
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
doc: |
  A deletion vector says which rows of one data file are deleted.

  It is the only blob of Puffin that frames itself, and the frame is that of
  Delta Lake: its length and its checksum are big-endian, everything inside is
  little-endian.

      len_content | magic | vector          | crc
                  `- len_content bytes -----'

  The file that it is about, and how many rows are deleted, are in the properties
  of the blob: referenced-data-file and cardinality.
doc-ref: https://iceberg.apache.org/puffin-spec/#deletion-vector-v1-blob-type
seq:
  - id: len_content
    type: u4be
    valid:
      min: 12
    doc: Bytes of magic and vector together; the blob is eight bytes longer.
  - id: magic
    contents: [0xd1, 0xd3, 0x39, 0x64]
  - id: vector
    size: len_content - 4
    doc: |
      The positions of deleted rows as one roaring_map (see roaring_bitmap.ksy),
      which ends where the vector ends.
  - id: crc
    type: u4be
    -loom-crc:
      algorithm: crc32
      over: [magic, vector]
