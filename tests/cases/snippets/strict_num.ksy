# data: ffffffffffffffff8000000000000000fe7fc00000000000000000000000
meta: {id: strict_num, endian: be}
seq:
  - {id: a, type: u8}
  - {id: b, type: s8}
  - {id: c, type: s1}
  - {id: d, type: f4}
  - {id: e, type: f8}
instances:
  q: {value: a / 3}
  m: {value: b % 7}
  n: {value: 'b / 7'}
  o: {value: 'a & 0xff00'}
  p: {value: 'a >> 60'}
  r: {value: 'a == 0xffffffffffffffff'}
  s: {value: 'b < 0 ? -b : b'}
  t: {value: '(c + 5) * -3'}
  u: {value: '-c - -3'}
  v: {value: 'c % 5'}
  w: {value: '1.5e3 + c'}
  x: {value: 'e + 1 / 2'}
  y: {value: '(e * 100).to_i'}
  z: {value: 'a ^ 0xff | 1 & 3'}
  aa: {value: 'c < 0 and b < 0 or a < 5'}
  bb: {value: '(7.0 / 2).to_i + 7 / 2'}
  dd: {value: '3 - -2'}
  ee: {value: '2 + 3 * 4 - 6 / 2 % 2 << 1 & 0xff'}
  ff: {value: '1 == 1 and 2 == 2'}
  gg: {value: '0x7fff_ffff + 1'}
  hh: {value: '~0 & 0xffff'}
