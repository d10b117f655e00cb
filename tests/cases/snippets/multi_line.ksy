# data: 0102030405
meta:
  id: multi_line
  endian: le
seq:
  - id: a
    type: u1
    doc: >
      Folded
      text.
  - id: b
    type: u1
    if: >-
      a == 1
      or a == 2
  - id: c
    size: |
      a +
      1
instances:
  cc:
    value: |
      a == 1 ? b
      : a == 2
        ? 5
        : 6
  dd:
    value: >
      (a == 1)
      and
      (b == 2 or
       b == 3)
