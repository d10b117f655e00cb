# data: ff02
meta: {id: neg_enum, endian: le, encoding: UTF-8}
seq: [{id: a, type: s1, enum: e}, {id: b, type: s1, enum: e}]
enums: {e: {-1: minus, 2: two, 0xffffffff: big}}
