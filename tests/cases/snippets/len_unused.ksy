# data: 030102030201
meta: {id: len_unused, endian: le, encoding: UTF-8}
seq: [{id: n, type: u1}, {id: xs, size: n}, {id: m, type: u1}, {id: ys, size: m / 2, type: y}]
types: {y: {seq: [{id: rest, size-eos: true}]}}
