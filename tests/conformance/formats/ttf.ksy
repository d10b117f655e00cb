meta:
  id: ttf
  title: TrueType font
  file-extension: ttf
  license: Apache-2.0
  endian: be
doc: |
  A directory of tables, each found by four letters. What stands in one often
  can be read only with what another says.
doc-ref: https://learn.microsoft.com/en-us/typography/opentype/spec/otff
seq:
  - id: directory
    type: directory
  - id: tables
    type: table_entry
    repeat: expr
    repeat-expr: directory.num_tables
types:
  fixed:
    seq:
      - id: major
        type: s2
      - id: minor
        type: u2
    instances:
      value:
        value: major + minor / 65536.0
  directory:
    seq:
      - id: version
        type: fixed
      - id: num_tables
        type: u2
      - id: search_range
        type: u2
      - id: entry_selector
        type: u2
      - id: range_shift
        type: u2
  table_entry:
    seq:
      - id: tag
        type: str
        size: 4
        encoding: ASCII
      - id: checksum
        type: u4
      - id: ofs
        type: u4
      - id: len
        type: u4
    instances:
      table:
        io: _root._io
        pos: ofs
        size: len
        type:
          switch-on: tag
          cases:
            '"head"': head
            '"hhea"': hhea
            '"maxp"': maxp
            '"name"': name
            '"OS/2"': os2
            '"post"': post
            '"cmap"': cmap
            '"cvt "': cvt
      len_padded:
        value: (len + 3) & ~3
  head:
    seq:
      - id: version
        type: fixed
      - id: revision
        type: fixed
      - id: adjustment
        type: u4
      - id: magic
        contents: [0x5f, 0x0f, '<', 0xf5]
      - id: flags
        type: flags
      - id: units_per_em
        type: u2
        valid:
          min: 16
          max: 16_384
      - id: created
        type: u8
      - id: modified
        type: u8
      - id: x_min
        type: s2
      - id: y_min
        type: s2
      - id: x_max
        type: s2
      - id: y_max
        type: s2
      - id: style
        type: u2
      - id: smallest
        type: u2
      - id: direction
        type: s2
        enum: directions
      - id: ofs_format
        type: s2
      - id: data_format
        type: s2
    types:
      flags:
        seq:
          - id: reserved
            type: b11
          - id: may_alter_width
            type: b1
          - id: has_whole_scale
            type: b1
          - id: depends_on_size
            type: b1
          - id: side_at_x_0
            type: b1
          - id: base_at_y_0
            type: b1
    enums:
      directions:
        -2: weak_right_to_left
        -1: right_to_left
        0: mixed
        1: left_to_right
        2: weak_left_to_right
  hhea:
    seq:
      - id: version
        type: fixed
      - id: ascender
        type: s2
      - id: descender
        type: s2
      - id: line_gap
        type: s2
      - id: rest
        size: 24
      - id: num_metrics
        type: u2
  maxp:
    seq:
      - id: version
        type: fixed
      - id: num_glyphs
        type: u2
      - id: rest
        size-eos: true
        if: version.major == 1
  name:
    seq:
      - id: format
        type: u2
      - id: num_records
        type: u2
      - id: ofs_strings
        type: u2
      - id: records
        type: record
        repeat: expr
        repeat-expr: num_records
    types:
      record:
        seq:
          - id: platform
            type: u2
            enum: platforms
          - id: encoding
            type: u2
          - id: language
            type: u2
          - id: name
            type: u2
            enum: names
          - id: len
            type: u2
          - id: ofs
            type: u2
        instances:
          ascii:
            io: _parent._io
            pos: _parent.ofs_strings + ofs
            type: str
            size: len
            encoding: ISO-8859-1
            if: platform == platforms::macintosh
          unicode:
            io: _parent._io
            pos: _parent.ofs_strings + ofs
            type: str
            size: len
            encoding: UTF-16BE
            if: platform != platforms::macintosh
      names_in_use: {}
    enums:
      names:
        0: copyright
        1: family
        2: subfamily
        3: unique_id
        4: full
        5: version
        6: postscript
  os2:
    seq:
      - id: version
        type: u2
      - id: average_width
        type: s2
      - id: weight
        type: u2
        enum: weights
      - id: width
        type: u2
      - id: embedding
        type: u2
      - id: metrics
        type: s2
        repeat: expr
        repeat-expr: 11
      - id: panose
        size: 10
      - id: unicode_ranges
        type: u4
        repeat: expr
        repeat-expr: 4
      - id: vendor
        type: str
        size: 4
        pad-right: 0x20
        encoding: ASCII
      - id: rest
        size-eos: true
    enums:
      weights:
        100: thin
        300: light
        400: normal
        600: semi_bold
        700: bold
        800: extra_bold
  post:
    seq:
      - id: format
        type: fixed
      - id: italic_angle
        type: fixed
      - id: underline_position
        type: s2
      - id: underline_thickness
        type: s2
      - id: is_monospaced
        type: u4
      - id: memory
        type: u4
        repeat: expr
        repeat-expr: 4
      - id: glyphs
        type: glyphs
        if: format.value == 2.0
    types:
      glyphs:
        seq:
          - id: num_glyphs
            type: u2
          - id: indexes
            type: u2
            repeat: expr
            repeat-expr: num_glyphs
          - id: names
            type: pascal_string
            repeat: eos
        types:
          pascal_string:
            seq:
              - id: len
                type: u1
              - id: text
                type: str
                size: len
                encoding: ASCII
  cvt:
    seq:
      - id: values
        type: s2
        repeat: eos
  cmap:
    seq:
      - id: version
        type: u2
      - id: num_tables
        type: u2
      - id: tables
        type: subtable_entry
        repeat: expr
        repeat-expr: num_tables
    types:
      subtable_entry:
        seq:
          - id: platform
            type: u2
            enum: platforms
          - id: encoding
            type: u2
          - id: ofs
            type: u4
        instances:
          table:
            io: _parent._io
            pos: ofs
            type: subtable
        types:
          subtable:
            seq:
              - id: format
                type: u2
                enum: formats
              - id: len
                type: u2
              - id: language
                type: u2
              - id: body
                size: len - 6
                type:
                  switch-on: format
                  cases:
                    formats::bytes: bytes_map
                    formats::segments: segments
                    formats::trimmed: trimmed
            types:
              bytes_map:
                seq:
                  - id: glyphs
                    type: u1
                    repeat: expr
                    repeat-expr: 256
              segments:
                seq:
                  - id: num_segments_x2
                    type: u2
                  - id: search
                    type: u2
                    repeat: expr
                    repeat-expr: 3
                  - id: ends
                    type: u2
                    repeat: expr
                    repeat-expr: num_segments
                  - id: pad
                    contents: [0, 0]
                  - id: starts
                    type: u2
                    repeat: expr
                    repeat-expr: num_segments
                  - id: deltas
                    type: s2
                    repeat: expr
                    repeat-expr: num_segments
                  - id: range_offsets
                    type: u2
                    repeat: expr
                    repeat-expr: num_segments
                  - id: glyphs
                    type: u2
                    repeat: eos
                instances:
                  num_segments:
                    value: num_segments_x2 >> 1
              trimmed:
                seq:
                  - id: first
                    type: u2
                  - id: num_glyphs
                    type: u2
                  - id: glyphs
                    type: u2
                    repeat: expr
                    repeat-expr: num_glyphs
            enums:
              formats:
                0: bytes
                4: segments
                6: trimmed
enums:
  platforms:
    0: unicode
    1: macintosh
    3: microsoft
