meta:
  id: bloom
  title: Bloom filters of HBase, in chunks
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
  imports:
    - varints
    - index
doc: |
  The metadata of a filter, in a BLMFMET2 or DFBLMET2 block. The filter itself is
  among the data, in chunks: BLMFBLK2 blocks that hold bare bits, bit i being bit
  i % 8 of byte i / 8. A key belongs to the last chunk whose first key is not
  after it.

  With h1 the hash of the key from seed 0 and h2 that from seed h1, the key's bits
  are abs(h1 + i * h2) % n for i below num_hashes, where n is the number of bits of
  the chunk, eight times the bytes of its payload. The hashes and the sum are signed
  integers of 32 bits, and wrap.

  What is hashed follows from the entry BLOOM_FILTER_TYPE of the file info
  (info_entries.yaml): the row (ROW), its first bytes (ROWPREFIX_FIXED_LENGTH), or a
  whole cell key (ROWCOL, see cell.ksy) with the row, no family, the qualifier, the
  timestamp 2^63 - 1 and the type 255. A DFBLMET2 block is about rows.
doc-ref: https://hbase.apache.org/book.html#_bloom_filters
seq:
  - id: version
    type: s4
    valid: 3
    -loom-default: 3
  - id: len_chunks
    -orig-id: totalByteSize
    type: s8
    valid:
      min: 0
    doc: Bytes of the bits of all chunks.
  - id: num_hashes
    type: s4
    valid:
      min: 1
      max: 255
  - id: hash_type
    type: s4
    enum: hash_type
    valid:
      in-enum: true
  - id: num_keys
    type: s8
    valid:
      min: 0
  - id: max_keys
    type: s8
    valid:
      min: 0
  - id: num_chunks
    type: s4
    valid:
      min: 0
  - id: len_comparator
    type: varints::hadoop_vlong
  - id: comparator
    size: len_comparator.value
    doc: Class that orders the chunks' keys; empty where they are rows.
  - id: chunks
    type: index::root_entry
    repeat: expr
    repeat-expr: num_chunks
enums:
  hash_type:
    0:
      id: jenkins
      doc: |
        Bob Jenkins' hashlittle of lookup3.c, the seed as initval.
    1:
      id: murmur
      doc: |
        MurmurHash2 of 32 bits, with one difference: the bytes after the last whole
        word of four are signed, so that one above 127 also sets all bits above its own.
    2:
      id: murmur3
      doc: MurmurHash3_x86_32.
