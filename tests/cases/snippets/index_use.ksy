# data: 010203040506
meta: {id: index_use, endian: le, encoding: UTF-8}
seq: [{id: xs, type: 'x(_index)', repeat: expr, repeat-expr: 2}, {id: zs, size: _index + 1, repeat: expr, repeat-expr: 2}]
types: {x: {params: [{id: i, type: u4}], seq: [{id: v, type: u1, if: i > 0}], instances: {d: {value: i * 2}}}}
