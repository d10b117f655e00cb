# data: 414202000062446241420200ce0002634444616444014261 | 41420c00b242646441436100424400024142c40004436442 | 41421700010101634344614341020043624201024364014400004142414225000200626444416363624300644242010243414300416142624262446362016100
meta:
  id: hard_rel
  endian: le
seq:
  - {id: hdr, type: hdr}
  - {id: body, size: hdr.len_body - 2}
  - {id: pad, size: (4 - _io.pos) % 4}
  - {id: trailer, type: hdr}
types:
  hdr:
    seq: [{id: magic, contents: AB}, {id: len_body, type: u2}, {id: kind, type: u1, enum: k}]
enums: {k: {0: a, 1: b, 2: c}}
