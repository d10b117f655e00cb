meta:
  id: theta_sketch
  title: Compact Theta sketch of Apache DataSketches
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
  bit-endian: le
doc: |
  An estimate of how many distinct values there are, ready to be merged.

  Each value is hashed to 63 bits. The sketch keeps the hashes below a threshold,
  theta, and the estimate is their number divided by theta as a part of 2 to
  the 63.

      preamble, 1 to 3 words of 8 bytes | hashes

  The preamble grows with what there is to say: one word for no value or one,
  two where theta is still whole, three where it is not. This describes the
  serial versions 1 to 3, which differ only in what their fields may hold.
doc-ref: https://datasketches.apache.org/docs/Theta/ThetaSketches.html
seq:
  - id: num_preamble_words
    -orig-id: preLongs
    type: b6
    valid:
      min: 1
      max: 3
  - id: lg_resize_factor
    -orig-id: lgResizeFactor
    type: b2
    -loom-default: 0
    doc: Of no use in a compact sketch.
  - id: serial_version
    -orig-id: serVer
    type: u1
    valid:
      any-of: [1, 2, 3]
    -loom-default: 3
  - id: family
    -orig-id: famID
    type: u1
    valid: 3
    -loom-default: 3
    doc: 3 for a compact sketch, whichever algorithm built it.
  - id: lg_nominal_hashes
    -orig-id: lgNomLongs
    type: u1
    -loom-default: 0
    doc: Of no use in a compact sketch.
  - id: lg_table_size
    -orig-id: lgArrLongs
    type: u1
    -loom-default: 0
    doc: Of no use in a compact sketch.
  - id: flags
    type: theta_flags
  - id: seed_hash
    -orig-id: seedHash
    type: u2
    doc: |
      Sixteen bits that say which seed the values were hashed with; 37836 for
      the default seed, 9001. Not stored by version 1, and zero in an empty
      sketch by Java.
  - id: num_hashes
    -orig-id: curCount
    type: u4
    if: num_preamble_words > 1
  - id: sampling_probability
    -orig-id: p
    type: f4
    if: num_preamble_words > 1
    doc: Of no use in a compact sketch. Java writes 1.0, C++ zero.
  - id: theta
    -orig-id: thetaLong
    type: u8
    if: num_preamble_words > 2
    doc: In units of 2 to the minus 63; if absent, theta is 2 to the 63 minus 1.
  - id: hashes
    size: 'num_preamble_words > 1 ? num_hashes * 8 : (serial_version == 3 and not flags.is_empty ? 8 : 0)'
    doc: |
      One u8 for each hash: above zero, below theta, no two alike, and ascending
      if the sketch is ordered. A preamble of one word
      has no hash or exactly one after it.
types:
  theta_flags:
    doc: What kind of sketch this is.
    seq:
      - id: is_big_endian
        type: b1
        -loom-default: false
      - id: is_read_only
        type: b1
        -loom-default: true
        doc: Set, as no value can be added to a compact sketch.
      - id: is_empty
        type: b1
        doc: No value was ever seen; a sketch without hashes may have seen some.
      - id: is_compact
        type: b1
        -loom-default: true
      - id: is_ordered
        type: b1
        -loom-default: true
      - id: is_single
        -orig-id: singleItem
        type: b1
        doc: Java's mark of a sketch of one hash and one word of preamble.
      - id: reserved
        type: b2
        -loom-default: 0
        doc: Kept as read.
  compressed_theta_sketch:
    doc: |
      A Theta sketch of serial version 4, ordered and packed.

      It holds the differences between its hashes, in as many bits each as the
      largest of them needs.
    seq:
      - id: num_preamble_words
        -orig-id: preLongs
        type: b6
        valid:
          min: 1
          max: 2
      - id: lg_resize_factor
        -orig-id: lgResizeFactor
        type: b2
        -loom-default: 0
      - id: serial_version
        -orig-id: serVer
        type: u1
        valid: 4
        -loom-default: 4
      - id: family
        -orig-id: famID
        type: u1
        valid: 3
        -loom-default: 3
      - id: width_bits
        -orig-id: entryBits
        type: u1
        valid:
          min: 1
          max: 63
        doc: Bits of each difference.
      - id: len_num_hashes
        -orig-id: numEntriesBytes
        type: u1
        valid:
          min: 1
          max: 4
      - id: flags
        type: theta_flags
      - id: seed_hash
        -orig-id: seedHash
        type: u2
      - id: theta
        -orig-id: thetaLong
        type: u8
        if: num_preamble_words > 1
      - id: num_hashes
        type:
          switch-on: len_num_hashes
          cases:
            1: u1
            2: u2
            3: b24
            4: u4
      - id: differences
        size: (num_hashes * width_bits + 7) / 8
        doc: |
          Each hash less the one before it, width_bits bits of each, the highest
          bit first and without gaps; the last byte is filled with zeros.
