# data: 0200
meta: {id: cyc, endian: le, encoding: UTF-8}
seq: [{id: n, type: node}]
types:
  node:
    seq: [{id: ofs, type: u1}]
    instances:
      next: {io: _root._io, pos: ofs, type: node, if: ofs != 0}
      back: {value: _root.n}
      me: {value: _parent}
