# data: 0000c03f000000000000f83f7f
meta: {id: floats, endian: le, encoding: UTF-8}
seq: [{id: a, type: f4}, {id: b, type: f8}, {id: c, type: s1}]
instances:
  i: {value: a.to_i + b.to_i}
  m: {value: a * b - c / 2}
  q: {value: c / 2.0}
  e: {value: '1e3 + 1.5e-2 + 2.'}
  neg: {value: '-c / 2'}
  x: {value: 'a > b ? a : c'}
