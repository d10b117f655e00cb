# data: 010203
meta: {id: eof_rep, endian: le, encoding: UTF-8}
seq:
  - {id: n, type: u1}
  - {id: xs, type: u1, repeat: eos, if: n == 1}
  - {id: ys, type: u2, repeat: eos, if: not _io.eof}
