# data: 03010203
meta: {id: calc_arrays, endian: le, encoding: UTF-8}
seq: [{id: n, type: u1}, {id: xs, type: u1, repeat: expr, repeat-expr: n}, {id: ps, type: p(xs), size: 0}]
types: {p: {params: [{id: ys, type: 'u1[]'}], instances: {m: {value: ys.max}, z: {value: 'ys.size == 3 ? ys[2] : -1'}}}}
