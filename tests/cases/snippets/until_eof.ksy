# data: 0102030405
meta: {id: until_eof, endian: le, encoding: UTF-8}
seq: [{id: xs, type: x, repeat: until, repeat-until: _io.eof}]
types: {x: {seq: [{id: a, type: u1}]}}
