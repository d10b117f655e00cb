# data: 0403020100aabbccdd
meta: {id: io_sub, endian: be}
seq:
  - {id: hdr, type: hdr, size: 5}
  - {id: data, size-eos: true, type: data_t}
instances:
  whole: {io: _io, pos: 0, size: 2}
  in_data: {io: data._io, pos: 'hdr.ofs[1] - 1', type: u1}
  in_raw: {io: data._io, pos: 0, type: recs(2)}
  use: {value: 'in_raw.r[1] + in_data'}
types:
  hdr: {seq: [{id: n, type: u1}, {id: ofs, type: u1, repeat: expr, repeat-expr: n}]}
  data_t: {seq: [{id: x, type: u1}]}
  recs:
    params: [{id: n, type: u1}]
    seq: [{id: r, type: u1, repeat: expr, repeat-expr: n}]
    instances: {sz: {value: _io.size}, back: {io: _root.hdr._io, pos: n, type: u1}}
