meta: {id: shapefile, license: Apache-2.0, endian: le}
doc: Points, lines and surfaces of a map.
seq:
  - id: header
    type: header
  - id: records
    type: record
    repeat: eos
types:
  header:
    seq:
      - id: magic
        contents: [0, 0, 0x27, 0x0a]
      - id: unused
        contents: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      - id: len_words
        type: s4be
      - id: version
        type: s4
        valid: 1000
      - id: kind
        type: s4
        enum: kinds
      - id: box
        type: solid_box
  solid_box:
    seq:
      - id: x
        type: range
      - id: y
        type: range
      - id: z
        type: range
      - id: m
        type: range
  range:
    seq:
      - id: min
        type: f8
      - id: max
        type: f8
  record:
    seq:
      - id: header
        type: record_header
      - id: contents
        type: contents
        size: header.len_words * 2
  record_header:
    seq:
      - id: number
        type: s4be
      - id: len_words
        type: s4be
  contents:
    seq:
      - id: kind
        type: s4
        enum: kinds
      - id: shape
        type:
          switch-on: kind
          cases:
            kinds::point: point
            kinds::line: lines
            kinds::polygon: lines
            kinds::points: points
        if: kind != kinds::none
  point:
    seq:
      - id: x
        type: f8
      - id: y
        type: f8
  box:
    seq:
      - id: x
        type: range
      - id: y
        type: range
  points:
    seq:
      - id: box
        type: box
      - id: num_points
        type: s4
      - id: points
        type: point
        repeat: expr
        repeat-expr: num_points
  lines:
    seq:
      - id: box
        type: box
      - id: num_parts
        type: s4
      - id: num_points
        type: s4
      - id: parts
        type: s4
        repeat: expr
        repeat-expr: num_parts
      - id: points
        type: point
        repeat: expr
        repeat-expr: num_points
enums:
  kinds:
    0: none
    1: point
    3: line
    5: polygon
    8: points
