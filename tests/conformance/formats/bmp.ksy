meta:
  id: bmp
  title: Windows bitmap
  file-extension: bmp
  license: Apache-2.0
  endian: le
doc: |
  A header, a description of the picture whose length says its version, a
  table of colors, and rows of pixels, each padded to four bytes.
doc-ref: https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-storage
seq:
  - id: magic
    contents: BM
  - id: len_file
    type: u4
  - id: reserved
    size: 4
  - id: ofs_pixels
    type: u4
  - id: len_info
    type: u4
  - id: info
    size: len_info - 4
    type:
      switch-on: len_info
      cases:
        12: core_info
        40: info(1)
        108: info(4)
        124: info(5)
  - id: palette
    type: color(has_gaps)
    repeat: expr
    repeat-expr: num_colors
    if: bits_per_pixel <= 8
instances:
  is_core:
    value: len_info == 12
  has_gaps:
    value: not is_core
    doc: Whether a color takes four bytes.
  width:
    value: 'is_core ? info.as<core_info>.width : info.as<info>.width'
  height:
    value: 'is_core ? info.as<core_info>.height : info.as<info>.height'
  bits_per_pixel:
    value: 'is_core ? info.as<core_info>.bits_per_pixel : info.as<info>.bits_per_pixel'
  num_colors:
    value: |
      is_core or info.as<info>.num_colors == 0
        ? 1 << bits_per_pixel
        : info.as<info>.num_colors
  is_top_down:
    value: height < 0
  num_rows:
    value: 'is_top_down ? -height : height'
  len_row:
    value: ((width * bits_per_pixel + 31) & ~31) / 8
    doc: Bytes of a row with its padding.
  rows:
    pos: ofs_pixels
    type: row
    size: len_row
    repeat: expr
    repeat-expr: num_rows
    if: is_core or info.as<info>.compression == compressions::none
  corner_pixels:
    value: '[rows[0].pixels[0].as<pixel>, rows[num_rows - 1].pixels[width - 1].as<pixel>]'
    if: bits_per_pixel == 24 and width > 0 and num_rows > 0
types:
  core_info:
    seq:
      - id: width
        type: u2
      - id: height
        type: u2
      - id: num_planes
        type: u2
        valid: 1
      - id: bits_per_pixel
        type: u2
  info:
    params:
      - id: version
        type: u1
    seq:
      - id: width
        type: s4
      - id: height
        type: s4
      - id: num_planes
        type: u2
        valid: 1
      - id: bits_per_pixel
        type: u2
        valid:
          any-of: [1, 2, 4, 8, 16, 24, 32]
      - id: compression
        type: u4
        enum: compressions
      - id: len_image
        type: u4
      - id: dots_per_meter
        type: s4
        repeat: expr
        repeat-expr: 2
      - id: num_colors
        type: u4
        valid:
          max: 256
      - id: num_important
        type: u4
      - id: masks
        type: u4
        repeat: expr
        repeat-expr: 4
        if: version >= 4
      - id: color_space
        type: u4
        if: version >= 4
      - id: rest
        size-eos: true
        if: version >= 4
  color:
    params:
      - id: has_gap
        type: bool
    seq:
      - id: b
        type: u1
      - id: g
        type: u1
      - id: r
        type: u1
      - id: gap
        type: u1
        if: has_gap
  row:
    seq:
      - id: pixels
        type:
          switch-on: _root.bits_per_pixel
          cases:
            1: b1
            4: b4
            8: u1
            16: u2
            24: pixel
            32: u4
        repeat: expr
        repeat-expr: _root.width
  pixel:
    seq:
      - id: b
        type: u1
      - id: g
        type: u1
      - id: r
        type: u1
    instances:
      luminance:
        value: (r * 299 + g * 587 + b * 114) / 1_000
enums:
  compressions:
    0: none
    1: rle8
    2: rle4
    3: bitfields
