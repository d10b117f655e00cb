meta:
  id: framing
  title: Hadoop's framing of compressed blocks
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
doc: |
  What SNAPPY, LZ4, LZO, BROTLI and two of HBase's three ZSTD codecs put around
  their output: groups of chunks. A group says how many bytes it decompresses to,
  and has as many chunks as it takes to give them. How many bytes a chunk gives is
  known by its codec alone, so one chunk is what can be described here.

      len_group | len_chunk | chunk | len_chunk | chunk | len_group = 0

  The group of length zero ends a block of more than one chunk; a block of no bytes
  is that group alone.
seq:
  - id: len_group
    type: u4
    doc: Bytes of this group when decompressed.
  - id: first
    type: chunk
    if: len_group > 0
types:
  chunk:
    doc: The output of one call of the codec, after its length.
    seq:
      - id: len_chunk
        type: u4
        valid:
          min: 1
      - id: data
        size: len_chunk
