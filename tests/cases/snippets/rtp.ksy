# data: 9160000100000002000000030000000400aa00010000ffffff03|80e00001000000020000000301
meta: {id: rtp, endian: be, bit-endian: be}
seq:
  - {id: version, type: b2, valid: 2}
  - {id: has_pad, type: b1}
  - {id: has_ext, type: b1}
  - {id: cc, type: b4}
  - {id: marker, type: b1}
  - {id: pt, type: b7, enum: pt}
  - {id: seqno, type: u2}
  - {id: ts, type: u4}
  - {id: ssrc, type: u4}
  - {id: csrc, type: u4, repeat: expr, repeat-expr: cc}
  - {id: ext, type: ext, if: has_ext}
  - {id: data, size: '_io.size - _io.pos - len_pad'}
  - {id: pad, size: len_pad}
instances:
  len_pad_if: {pos: '_io.size - 1', type: b8, if: has_pad}
  len_pad: {value: 'has_pad ? len_pad_if : 0'}
types:
  ext: {seq: [{id: id, type: u2}, {id: len, type: u2}]}
enums: {pt: {0x60: dynamic, 0: pcmu}}
