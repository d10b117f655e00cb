# data: 01020304
meta: {id: unnamed, endian: le, encoding: UTF-8}
seq: [{type: u1}, {size: 1}, {id: c, type: u1}, {type: x}]
types: {x: {seq: [{type: u1}]}}
