# data: 0a00000001020304050607
meta: {id: size_expr, endian: le, encoding: UTF-8}
seq: [{id: len, type: u4}, {id: a, size: 'len > 4 ? len - 4 : 0', type: inner}]
types: {inner: {seq: [{id: xs, type: u2be, repeat: eos}]}}
