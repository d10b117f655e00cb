# data: 0102030405
meta: {id: inst_nopos, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}, {id: use, size: 0, if: nxt >= 0}, {id: b, type: u1}]
instances:
  nxt: {type: u1}
  far: {io: _root._io, type: u1}
