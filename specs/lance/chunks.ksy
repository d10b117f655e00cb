meta:
  id: chunks
  title: Chunks of a Lance page
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
  bit-endian: le
doc: |
  Buffer 0 of a page of the layout MiniBlock has a word for each chunk of buffer 1,
  where the chunks are one after the other. Buffer 2 is the dictionary, if the layout
  (encodings21.proto) has one; the last buffer is the repetition index, if its depth
  is above 0. A chunk is padded to a multiple of eight bytes, and so is each of its
  parts:

      sizes | repetition levels | definition levels | value buffer 0 | ...

  To read a page without nulls and lists whose layout has one buffer of values: take
  the words, and for each of them len_chunk bytes of buffer 1. These begin with a
  chunk_head; at byte 8 are the values, num_values of them, in the last chunk as many
  as the layout's num_items has left. Their encoding is the layout's value_compression.
doc-ref: https://lance.org/format/file/encoding/#mini-block-page-layout
seq:
  - id: words
    type: small_word
    repeat: eos
types:
  small_word:
    -loom-scan: walk
    -loom-put: true
    doc: A chunk's word of 16 bits, up to version 2.1.
    seq:
      - id: log_num_values
        type: b4
        doc: |
          Values are 2 to this power. Of the last chunk, which has what is left,
          it says nothing.
      - id: len_chunk_words
        type: b12
        doc: Units of the chunk, minus 1.
        -loom-column: false
    instances:
      num_values:
        value: 1 << log_num_values
        -loom-column: true
      len_chunk:
        value: sizeof<unit> * (len_chunk_words + 1)
        -loom-column: true
  large_word:
    -loom-scan: walk
    -loom-put: true
    doc: A chunk's word of 32 bits, from version 2.2 on.
    seq:
      - id: log_num_values
        type: b4
        doc: |
          Values are 2 to this power. Of the last chunk, which has what is left,
          it says nothing.
      - id: len_chunk_words
        type: b28
        doc: Units of the chunk, minus 1.
        -loom-column: false
    instances:
      num_values:
        value: 1 << log_num_values
        -loom-column: true
      len_chunk:
        value: sizeof<unit> * (len_chunk_words + 1)
        -loom-column: true
  chunk:
    -loom-scan: walk
    params:
      - id: has_rep
        type: bool
        doc: The layout has rep_compression.
      - id: has_def
        type: bool
        doc: The layout has def_compression.
      - id: num_buffers
        type: u4
        doc: The layout has it.
      - id: is_large
        type: bool
        doc: The value of `has_large_chunk` in the page's layout.
    seq:
      - id: sizes
        type: chunk_head(has_rep, has_def, num_buffers, is_large)
      - id: parts
        size-eos: true
        doc: |
          Repetition levels, definition levels and value buffers, each at the next multiple of eight
          from the beginning of the chunk.
        -loom-column: false
    instances:
      len_parts:
        value: parts.length
        -loom-column: true
  early_chunk:
    -loom-scan: walk
    doc: A chunk by releases 0.19 to 0.25, which has one value buffer.
    seq:
      - id: len_rep
        type: u2
        doc: Bytes of repetition levels; 0 if there are none.
      - id: len_def
        type: u2
        doc: Bytes of definition levels; 0 if there are none.
      - id: len_values
        type: u2
      - id: parts
        size-eos: true
        doc: |
          Repetition levels and definition levels, one after the other, and values at the next
          multiple of eight from the beginning of the chunk.
        -loom-column: false
    instances:
      len_parts:
        value: parts.length
        -loom-column: true
  unit:
    doc: Chunks are a multiple of these, and each of their parts begins at one.
    seq:
      - id: bytes
        size: 8
  level:
    doc: A repetition or definition level, where levels are stored as they are.
    seq:
      - id: value
        type: u2
  chunk_head:
    -loom-put: true
    doc: The beginning of a chunk.
    params:
      - id: has_rep
        type: bool
        doc: The layout has rep_compression.
      - id: has_def
        type: bool
        doc: The layout has def_compression.
      - id: num_buffers
        type: u4
        doc: The layout has it.
      - id: is_large
        type: bool
        doc: The value of `has_large_chunk` in the page's layout.
    seq:
      - id: num_levels
        type: u2
        doc: Repetition and definition levels of the chunk; 0 if there are none.
      - id: len_rep
        type: u2
        if: has_rep
      - id: len_def
        type: u2
        if: has_def
      - id: len_small_buffers
        type: u2
        repeat: expr
        repeat-expr: num_buffers
        if: not is_large
        doc: Bytes of each value buffer.
      - id: len_large_buffers
        type: u4
        repeat: expr
        repeat-expr: num_buffers
        if: is_large
        doc: Bytes of each value buffer, from version 2.2 on.
