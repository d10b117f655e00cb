# data: 0102030405
meta: {id: until_size, endian: le, encoding: UTF-8}
seq: [{id: xs, type: x, repeat: until, repeat-until: '_.a == 3 or _io.size - _io.pos < 1'}, {id: r, size-eos: true}]
types: {x: {seq: [{id: a, type: u1}]}}
