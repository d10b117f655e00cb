meta:
  id: hudi_bloom
  title: Bloom filters of Hudi
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
doc: |
  The filter of a file's keys that Hudi keeps in a meta block, in base64, and in the
  bloom_filters partition of its metadata table. Hadoop's own form: bit i is bit
  i % 8 of byte i / 8. The hashes of a key are a chain: each is seeded with the one
  before, the first with 0, and sets bit abs(hash % num_bits).

  This is the form named SIMPLE; DYNAMIC_V0 is the type dynamic, rows of which each
  is a filter of its own.
seq:
  - id: head
    type: head
  - id: bits
    size: (head.num_bits + 7) / 8
types:
  head:
    doc: How a filter was made, and its size.
    seq:
      - id: version
        type: s4
        valid: -1
      - id: num_hashes
        type: s4
        valid:
          min: 1
          max: 255
      - id: hash_type
        type: u1
        valid: 1
        doc: Murmur2.
      - id: num_bits
        type: s4
        valid:
          min: 1
  dynamic:
    doc: A filter that grows by a row whenever its last row is full.
    seq:
      - id: head
        type: head
      - id: keys_per_row
        type: s4
      - id: keys_in_last_row
        type: s4
      - id: num_rows
        type: s4
        valid:
          min: 1
      - id: rows
        type: hudi_bloom
        repeat: expr
        repeat-expr: num_rows
