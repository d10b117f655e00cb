# data: 8141
meta: {id: flags_expr, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}, {id: b, type: u1}]
instances:
  t1: {value: a & 0x80 == 0x80 and b & 0x40 != 0}
  t2: {value: (a & 0x0f) + (b & 0xf0) - 1 << 2}
  t3: {value: 'a ^ b == 0xc0 ? "x" : (a | b) == 0xc1 ? "y" : "z"'}
  t4: {value: not (a == 1 or b == 2) and not false}
  t5: {value: 'a % 16 * 3 / 2 - -b'}
  t6: {value: '(a > b) == true'}
  t7: {value: 'a >= 0x80 ? a - 0x100 : a'}
