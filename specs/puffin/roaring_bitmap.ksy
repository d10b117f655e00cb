meta:
  id: roaring_bitmap
  title: Roaring bitmaps in their portable form
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
doc: |
  A set of 32-bit integers.

  Integers with the same upper 16 bits share a container, which holds their
  lower 16 bits in whichever of three ways takes the fewest bytes.

      cookie | run flags | headers | offsets | container 0 | container 1 | ...

  There are two cookies. 12346 says that no container is made of runs, and has
  a word of its own for their number. 12347 has the number, minus 1, in its
  upper half, and a flag for each container.
doc-ref: https://github.com/RoaringBitmap/RoaringFormatSpec
seq:
  - id: cookie
    type: u2
    valid:
      any-of: [12346, 12347]
  - id: last_container
    type: u2
    -loom-default: 0
    doc: With cookie 12347 the number of containers, minus 1; otherwise 0.
  - id: num_containers_no_runs
    type: u4
    if: cookie == no_runs
    valid:
      max: 65536
  - id: run_flags
    size: (last_container + 8) / 8
    if: cookie == with_runs
    doc: A bit for each container, lowest first; set for a container of runs.
  - id: headers
    type: container_header
    repeat: expr
    repeat-expr: 'cookie == with_runs ? last_container + 1 : num_containers_no_runs'
  - id: offsets
    type: u4
    repeat: expr
    repeat-expr: headers.size
    if: cookie == no_runs or last_container >= most_without_offsets
    doc: |
      Where each container starts, in bytes from the cookie. Left out of a small
      bitmap with runs.
  - id: containers
    type: |
      container(
        headers[_index].last_value + 1,
        cookie == with_runs and (run_flags[_index / 8] >> (_index % 8)) % 2 == 1
      )
    repeat: expr
    repeat-expr: headers.size
instances:
  no_runs:
    value: 12346
    doc: The cookie of a bitmap without containers of runs.
  with_runs:
    value: 12347
    doc: The cookie of one with such containers.
  most_without_offsets:
    value: 3
    doc: A bitmap with runs has no offsets up to this number of containers.
types:
  container_header:
    doc: What is known of a container before it is read.
    seq:
      - id: key
        type: u2
        doc: The upper 16 bits of its integers; ascending from header to header.
      - id: last_value
        type: u2
        doc: The number of its integers, minus 1.
  container:
    doc: |
      The lower 16 bits of integers that share the upper ones.

      They are runs where these are shorter, otherwise an array up to 4096 of
      them and a bit for each of 65536 above.
    params:
      - id: num_values
        type: u4
      - id: has_runs
        type: bool
    seq:
      - id: num_runs
        type: u2
        if: has_runs
      - id: runs
        size: num_runs * 4
        if: has_runs
        doc: |
          Pairs of u2: the first integer of a run, and how many follow it. Runs
          are ascending and do not touch.
      - id: array
        size: num_values * 2
        if: not has_runs and num_values <= longest_array
        doc: One u2 for each integer, ascending.
      - id: bits
        size: len_bits
        if: not has_runs and num_values > longest_array
        doc: Bit n % 8 of byte n / 8 is set for each integer n.
    instances:
      longest_array:
        value: 4096
        doc: The largest number of integers that is stored as an array.
      len_bits:
        value: 8192
        doc: A bit for each of 65536 integers.
  roaring_map:
    doc: |
      A set of 64-bit integers: a bitmap for each value of their upper 32 bits.

      Iceberg uses no upper half above 2147483646, and Java writes every one
      from zero to the largest, with empty bitmaps between.
    doc-ref: https://github.com/RoaringBitmap/RoaringFormatSpec#extension-for-64-bit-implementations
    seq:
      - id: num_bitmaps
        type: u8
      - id: bitmaps
        type: roaring_map_entry
        repeat: expr
        repeat-expr: num_bitmaps
  roaring_map_entry:
    doc: The integers that share their upper 32 bits.
    seq:
      - id: key
        type: u4
        doc: The upper 32 bits; ascending from entry to entry.
      - id: bitmap
        type: roaring_bitmap
