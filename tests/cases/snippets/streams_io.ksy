# data: 04aabbccdd0205aa010203|03aabbcc0201aa010203
meta: {id: streams_io, endian: be}
seq:
  - {id: len, type: u1}
  - {id: buf, size: len, type: sub}
  - {id: idx, type: u1}
  - {id: other, type: other}
types:
  sub: {seq: [{id: first, type: u1}], instances: {rest: {pos: 1, size-eos: true}, e: {value: _io.eof}}}
  other:
    seq: [{id: k, type: u1}]
    instances:
      from_buf: {io: _root.buf._io, pos: _root.idx, type: u1}
      all_buf: {io: _root.buf._io, pos: 0, size-eos: true}
      deep: {io: _parent.buf._io, pos: 0, type: sub, size: '_root.buf._io.size - 1'}
      at: {value: '_root.buf._io.pos + _io.pos'}
instances:
  tail: {pos: '_io.size - 3', type: u1, repeat: eos}
  neg: {pos: '(-1) % _io.size', type: u1}
