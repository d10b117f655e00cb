meta:
  id: png
  title: PNG image
  file-extension:
    - png
    - apng
  license: Apache-2.0
  ks-version: 0.9
  endian: be
doc: |
  A signature and chunks, the first of which says what the picture is and the
  last of which ends it. What a chunk holds depends on its name; four letters,
  each of which says by its case what a reader may do that does not know it.
doc-ref: https://www.w3.org/TR/png-3/
seq:
  - id: magic
    contents: [0x89, PNG, 0x0d, 0x0a, 26, "\x0a"]
  - id: len_header
    type: u4
    valid: 13
  - id: header_type
    contents: IHDR
  - id: header
    type: header
  - id: header_crc
    size: 4
  - id: chunks
    type: chunk
    repeat: until
    repeat-until: _.type == "IEND" or _io.eof
types:
  header:
    seq:
      - id: width
        type: u4
        valid:
          min: 1
          max: 0x7fff_ffff
      - id: height
        type: u4
        valid:
          expr: _ > 0 and _ <= 0x7fff_ffff
      - id: bit_depth
        type: u1
        valid:
          any-of: [1, 2, 4, 8, 16]
      - id: color_type
        type: u1
        enum: color_type
        valid:
          in-enum: true
      - id: compression
        type: u1
        valid: 0
      - id: filter
        type: u1
      - id: interlace
        type: u1
        enum: interlace
    instances:
      num_channels:
        value: |
          color_type == color_type::truecolor ? 3 :
          color_type == color_type::truecolor_alpha ? 4 :
          color_type == color_type::grey_alpha ? 2 : 1
      len_row:
        value: >
          (width * num_channels * bit_depth + 7)
          / 8
  chunk:
    seq:
      - id: len
        type: u4
      - id: type
        type: str
        size: 4
        encoding: ASCII
      - id: body
        size: len
        type:
          switch-on: type
          cases:
            '"PLTE"': palette
            '"gAMA"': gamma
            '"pHYs"': dimensions
            '"tEXt"': text
            '"zTXt"': compressed_text
            '"iTXt"': international_text
            '"tIME"': time
            '"bKGD"': background(_root.header.color_type)
            '"tRNS"': transparency
      - id: crc
        size: 4
    instances:
      is_optional:
        value: (type.substring(0, 1) >= "a") and (type.substring(0, 1) <= "z")
        doc: Whether a reader may pass over it.
      is_private:
        value: type.substring(1, 2) >= "a"
  palette:
    seq:
      - id: colors
        type: rgb
        repeat: eos
  rgb:
    seq:
      - id: r
        type: u1
      - id: g
        type: u1
      - id: b
        type: u1
    to-string: '"#" + r.to_s + "," + g.to_s + "," + b.to_s'
  gamma:
    seq:
      - id: as_int
        type: u4
    instances:
      ratio:
        value: as_int / 100000.0
  dimensions:
    seq:
      - id: x
        type: u4
      - id: y
        type: u4
      - id: unit
        type: u1
        enum: unit
    enums:
      unit:
        0: none
        1: meter
  text:
    seq:
      - id: keyword
        type: strz
        encoding: ISO-8859-1
      - id: text
        type: str
        size-eos: true
        encoding: ISO-8859-1
  compressed_text:
    seq:
      - id: keyword
        type: strz
        encoding: ISO-8859-1
      - id: method
        type: u1
        valid: 0
      - id: text
        size-eos: true
        process: zlib
  international_text:
    seq:
      - id: keyword
        type: strz
        encoding: ISO-8859-1
      - id: is_compressed
        type: u1
        valid:
          max: 1
      - id: method
        type: u1
      - id: language
        type: strz
        encoding: ASCII
      - id: translated
        type: strz
        encoding: UTF-8
      - id: plain
        type: str
        size-eos: true
        encoding: UTF-8
        if: is_compressed == 0
      - id: packed
        size-eos: true
        process: zlib
        if: is_compressed != 0
  time:
    seq:
      - id: year
        type: u2
      - id: month
        type: u1
        valid: {min: 1, max: 12}
      - id: rest
        type: u1
        repeat: expr
        repeat-expr: 4
        doc: day, hour, minute, second
  background:
    params:
      - id: color_type
        type: u1
        enum: color_type
    seq:
      - id: color
        type:
          switch-on: color_type
          cases:
            color_type::indexed: u1
            color_type::grey: grey(1)
            color_type::grey_alpha: grey(1)
            color_type::truecolor: rgb16
            color_type::truecolor_alpha: rgb16
    types:
      grey:
        params:
          - id: num
            type: u1
        seq:
          - id: value
            type: u2
            repeat: expr
            repeat-expr: num
      rgb16:
        seq:
          - id: r
            type: u2
          - id: g
            type: u2
          - id: b
            type: u2
  transparency:
    seq:
      - id: alphas
        type: u1
        repeat: eos
        if: _root.header.color_type == color_type::indexed
      - id: samples
        type: u2
        repeat: eos
        if: _root.header.color_type != color_type::indexed
enums:
  color_type:
    0: grey
    2: truecolor
    3: indexed
    4: grey_alpha
    6: truecolor_alpha
  interlace:
    0: none
    1: adam7
