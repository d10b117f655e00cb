meta:
  id: gif
  title: GIF image
  file-extension: gif
  license: Apache-2.0
  endian: le
doc: |
  A screen, perhaps a table of its colors, and blocks: pictures and extensions,
  both of which end in chains of sub-blocks of at most 255 bytes.
doc-ref: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
seq:
  - id: header
    type: header
  - id: screen
    type: screen
  - id: global_colors
    type: color_table(screen.num_colors)
    if: screen.has_colors
  - id: blocks
    type: block
    repeat: until
    repeat-until: _io.eof or _.type == block_types::end
types:
  header:
    seq:
      - id: magic
        contents: GIF
      - id: version
        size: 3
        type: str
        encoding: ASCII
        valid:
          any-of: ['"87a"', "'89a'"]
  screen:
    seq:
      - id: width
        type: u2
      - id: height
        type: u2
      - id: flags
        type: u1
      - id: background
        type: u1
        doc: Which of the global colors stands where no picture does.
      - id: aspect
        type: u1
    instances:
      has_colors:
        value: flags & 0b1000_0000 != 0
      is_sorted:
        value: (flags & 0b1000) == 0b1000
      num_colors:
        value: 2 << (flags & 7)
      aspect_ratio:
        value: 'aspect == 0 ? 1.0 : (aspect + 15) / 64.0'
  color_table:
    params:
      - id: num_colors
        type: u2
    seq:
      - id: colors
        type: color
        repeat: expr
        repeat-expr: num_colors
  color:
    seq:
      - id: channels
        size: 3
    instances:
      as_int:
        value: channels[0] << 16 | channels[1] << 8 | channels[2]
  block:
    seq:
      - id: type
        type: u1
        enum: block_types
      - id: body
        type:
          switch-on: type
          cases:
            block_types::extension: extension
            block_types::picture: picture
  picture:
    seq:
      - id: left
        type: u2
      - id: top
        type: u2
      - id: width
        type: u2
      - id: height
        type: u2
      - id: has_colors
        type: b1
      - id: is_interlaced
        type: b1
      - id: is_sorted
        type: b1
      - id: reserved
        type: b2
      - id: size_exponent
        type: b3
      - id: colors
        type: 'color_table(has_colors ? 2 << size_exponent : 0)'
        if: has_colors
      - id: len_code
        type: u1
        valid:
          min: 2
          max: 11
      - id: data
        type: sub_blocks
  sub_blocks:
    seq:
      - id: parts
        type: sub_block
        repeat: until
        repeat-until: _.len == 0
    types:
      sub_block:
        seq:
          - id: len
            type: u1
          - id: bytes
            size: len
            if: len != 0
  extension:
    seq:
      - id: label
        type: u1
        enum: labels
      - id: body
        type:
          switch-on: label
          cases:
            labels::graphic_control: graphic_control
            labels::application: application
            labels::comment: sub_blocks
            _: sub_blocks
    types:
      graphic_control:
        seq:
          - id: len
            contents: [4]
          - id: reserved
            type: b3
          - id: disposal
            type: b3
            enum: disposals
          - id: waits_for_user
            type: b1
          - id: has_transparent
            type: b1
          - id: delay
            type: u2
            doc: Hundredths of a second.
          - id: transparent
            type: u1
          - id: end
            contents: [0]
        enums:
          disposals:
            0: none
            1: keep
            2: background
            3: previous
      application:
        seq:
          - id: len_id
            type: u1
            valid: 11
          - id: id
            type: str
            size: 8
            encoding: ASCII
          - id: code
            size: 3
          - id: parts
            type: sub_blocks
enums:
  block_types:
    0x21: extension
    0x2c: picture
    0x3b: end
  labels:
    0x01: text
    0xf9: graphic_control
    0xfe: comment
    0xff: application
