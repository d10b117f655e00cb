# data: 0201aabbcc
meta: {id: switch_io, endian: le, encoding: UTF-8}
seq: [{id: n, type: u1}, {id: k, type: u1}, {id: body, size: n, type: {switch-on: k, cases: {1: a, _: b}}}]
types: {a: {seq: [{id: x, size-eos: true}]}, b: {seq: [{id: y, type: u1, repeat: eos}]}}
instances: {raw: {value: _io.size}, again: {io: body.as<a>._io, pos: 0, size: 1, if: k == 1}}
