# data: 010203
meta: {id: parent_chain, endian: le, encoding: UTF-8}
seq: [{id: a, type: x}]
types:
  x: {seq: [{id: b, type: y}]}
  y: {seq: [{id: c, type: u1}], instances: {p: {value: _parent.b.c}, pp: {value: _parent._parent.a.b.c}, r: {value: _root.a.b.c}, len: {value: _parent._io.size}}}
