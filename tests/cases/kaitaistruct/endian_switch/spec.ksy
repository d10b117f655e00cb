meta:
  id: sample
  endian:
    switch-on: mark
    cases:
      '[0x49, 0x49]': le
      '[0x4d, 0x4d]': be
instances:
  mark:
    pos: 0
    size: 2
seq:
  - id: skipped
    size: 2
  - id: number
    type: u2
  - id: inner
    type: inner
types:
  inner:
    seq:
      - id: ratio
        type: f4
