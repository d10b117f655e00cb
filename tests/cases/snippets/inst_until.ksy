# data: 0301020000
meta: {id: inst_until, endian: le, encoding: UTF-8}
seq: [{id: ofs, type: u1}]
instances:
  tab: {pos: 1, type: u1, repeat: until, repeat-until: _ == 0}
  ents: {pos: 0, type: ent, repeat: until, repeat-until: '_.x == 0 or _io.eof'}
  all: {pos: ofs, type: u1, repeat: eos}
types: {ent: {seq: [{id: x, type: u1}]}}
