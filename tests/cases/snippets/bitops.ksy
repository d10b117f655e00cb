# data: 0f0e
meta: {id: bitops, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}, {id: b, type: u1}]
instances:
  x: {value: 'a & 0xf == 0xf'}
  y: {value: '(a & 1) + (b & 2) - (a | b) * 3'}
  z: {value: 'a & b | a ^ b << 2 >> 1'}
  w: {value: '~a & 0xff'}
  v: {value: '-a + ~b * -2'}
  u: {value: 'a + 1 & b - 1'}
  c: {value: 'a & 1 != 0 and b & 2 == 2 or not (a == b)'}
  d: {value: 'not a == b'}
  e: {value: '~a'}
  f: {value: '~0x7f'}
  g: {value: '-7 / 2 + -7 % 3 + a / 4'}
