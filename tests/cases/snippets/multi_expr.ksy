# data: 0a0b
meta: {id: multi_expr, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}, {id: b, type: u1}]
instances:
  x:
    value: |
      (a > 5 and
       b > 5)
        ? a * 2
        : b
  y:
    value: >
      a
      + b
  z:
    value: a +
      b * 2
      - 1
