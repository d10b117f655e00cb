# data: 0102030405
meta: {id: io_pos, endian: le, encoding: UTF-8}
seq:
  - {id: a, type: u1}
  - {id: b, type: u1, repeat: until, repeat-until: _io.pos >= 3}
  - {id: pad, size: '(4 - _io.pos) % 4'}
  - {id: body, size: 0, if: after_pad >= 0}
  - {id: z, type: u1}
instances:
  after_pad: {value: _io.pos}
  left: {value: _io.size - _io.pos}
  e: {value: _io.eof}
