# data: 05010203040506
meta: {id: arrs, endian: le, encoding: UTF-8}
seq: [{id: n, type: u1}, {id: xs, type: u1, repeat: expr, repeat-expr: n}]
instances:
  f: {value: xs.first}
  l: {value: xs.last + xs.size + xs.min * xs.max}
  b: {value: '[0x50, 0x4b, 3].as<bytes>'}
  bl: {value: 'b.length + b.first + b[1]'}
  eq: {value: 'b == [0x50, 0x4b, 3]'}
  s: {value: '["a", "b"]'}
  sm: {value: 's.size + s[0].length'}
  st: {value: '["a", "b"].first'}
  idx: {value: 'xs[n - 1]'}
