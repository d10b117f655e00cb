# data: 000300610044444400410201004364014200614263630141
meta:
  id: hard_process
  endian: le
seq:
  - {id: key, type: u1}
  - {id: len, type: u1}
  - {id: body, size: len, process: xor(key), type: inner}
  - {id: rest, size-eos: true, process: rol(3), type: fin}
types:
  inner: {seq: [{id: n, type: u1}, {id: s, size: n}, {id: t, size-eos: true}]}
  fin: {seq: [{id: z, type: strz, encoding: ASCII}, {id: more, size-eos: true}]}
