# data: 123456789abcdef01122334455|ffffffffffffffffffffffffffff
meta: {id: bcd_like, endian: be}
seq:
  - {id: a, type: 'bcd(3, 4)'}
  - {id: x, type: u1}
  - {id: y, type: b4}
  - {id: c, type: 'bcd(2, 8)'}
  - {id: z, type: b4}
  - {id: d, type: 'bcd(2, 4)'}
types:
  bcd:
    params: [{id: n, type: u1}, {id: bits, type: u1}]
    seq:
      - id: digits
        type:
          switch-on: bits
          cases: {4: b4, 8: u1}
        repeat: expr
        repeat-expr: n
    instances:
      last: {value: 'digits[n - 1]'}
