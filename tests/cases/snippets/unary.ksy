# data: 05fb
meta: {id: unary, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}, {id: b, type: s1}]
instances:
  x: {value: '~(a | b) & 0xffff_ffff'}
  y: {value: -b}
  z: {value: '- -a'}
  skip: {pos: '(a + 3) & ~3', size: 0}
