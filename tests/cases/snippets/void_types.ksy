# data: 0102
meta: {id: void_types, endian: le, encoding: UTF-8}
seq: [{id: a, type: nothing}, {id: b, type: u1}, {id: c, type: nothing, size: 1}]
types: {nothing: {doc: Holds nothing.}}
