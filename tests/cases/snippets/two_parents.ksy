# data: 0102030405
meta: {id: two_parents, endian: le, encoding: UTF-8}
seq: [{id: a, type: x}, {id: b, type: y}, {id: c, type: z}]
types:
  x: {seq: [{id: n, type: z}]}
  y: {seq: [{id: n, type: z}]}
  z: {seq: [{id: v, type: u1}], instances: {r: {value: _root.a.n.v}}}
