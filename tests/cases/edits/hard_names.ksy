# data: 04070b036162006364650003 0003 | 0405090261620062000003
meta:
  id: hard_names
  endian: le
  encoding: ASCII
seq:
  - {id: ofs_names, type: u1}
  - {id: len_names, type: u1}
  - {id: ofs_symbols, type: u1}
  - {id: len_symbols, type: u1}
instances:
  names: {pos: ofs_names, size: len_names, type: names}
  symbols: {pos: ofs_symbols, size: len_symbols, type: symbols}
types:
  names: {seq: [{id: texts, type: strz, repeat: eos}]}
  symbols: {seq: [{id: all, type: symbol, repeat: eos}]}
  symbol:
    seq: [{id: at, type: u1}]
    instances:
      name: {io: _root._io, pos: _root.ofs_names + at, type: strz}
