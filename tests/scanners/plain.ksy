meta:
  id: plain
  endian: le
  bit-endian: le
  encoding: UTF-8
doc: Records of one size, with rules on them.
seq:
  - id: ticks
    type: tick
    repeat: eos
types:
  tick:
    seq:
      - id: magic
        contents: TK
      - id: at
        type: s8
        -loom-arrow: timestamp[us]
      - id: side
        type: u1
        enum: sides
      - id: low
        type: b3
        valid:
          any-of: [1, 2, 5]
      - id: high
        type: b10
      - id: is_last
        type: b1
      - id: price
        type: f8be
      - id: place
        type: place
      - id: raw
        size: 5
      - id: text
        type: str
        size: 4
      - id: short
        type: s2be
        valid:
          expr: _ % 2 == 0 or not (high > 100)
  place:
    seq:
      - id: lon
        type: u2be
        valid:
          min: 10
          max: 60000
      - id: lat
        type: s2
        -loom-column: latitude
enums:
  sides:
    0: buy
    1: sell
