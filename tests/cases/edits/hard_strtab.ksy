# data: 010900020003020101414400610100000062410000440042 | 08000027000217001b00001503000304000b040002ea000700000b78004279797900004142634100 | 040400cc000d0400000e00080000020100430079595978000102010242597a590064610001010061
meta:
  id: hard_strtab
  endian: le
seq:
  - {id: n, type: u1}
  - {id: len_tab, type: u2}
  - {id: syms, type: sym, repeat: expr, repeat-expr: n}
  - {id: tab, type: tab, size: len_tab}
types:
  sym:
    seq: [{id: ofs, type: u2}, {id: kind, type: u1}]
    instances:
      name: {io: _root.tab._io, pos: ofs, type: strz, encoding: ASCII}
  tab:
    seq: [{id: strs, type: strz, encoding: ASCII, repeat: eos}]
