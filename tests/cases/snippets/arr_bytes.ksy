# data: 010203
meta: {id: arr_bytes, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}, {id: b, type: u1}]
instances:
  x: {value: '[a, b].as<bytes>'}
  y: {value: '[1, 2].as<bytes>'}
  z: {value: '[a, b].as<u1[]>'}
  w: {value: 'x.to_s("ASCII")'}
  l: {value: 'x.length + [a, b, 300].size'}
