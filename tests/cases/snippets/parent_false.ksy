# data: 0102
meta: {id: parent_false, endian: le, encoding: UTF-8}
seq: [{id: a, type: x, parent: false}, {id: b, type: w}]
types: {x: {seq: [{id: n, type: u1}]}, w: {seq: [{id: c, type: v, parent: _parent}]}, v: {seq: [{id: q, type: u1}], instances: {z: {value: _parent.b.c.q}}}}
