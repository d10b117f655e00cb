# data: 000200040a0b0000000c0001000200030004000000080001ffff
meta: {id: font_cmap, endian: be}
seq:
  - {id: num_tables, type: u2}
  - {id: sub, type: table_ref, repeat: expr, repeat-expr: num_tables - 1}
types:
  table_ref:
    seq:
      - {id: ofs, type: u2}
      - {id: tag, type: str, size: 2, encoding: windows-1252}
      - {id: ofs2, type: u4}
    instances:
      table:
        io: _root._io
        pos: ofs
        size: 4
        type: sub_table
      table2:
        io: _root._io
        pos: ofs2
        type: segs(ofs / 2)
    types:
      sub_table:
        seq: [{id: v, type: u2}]
        instances:
          par: {value: _parent.ofs}
          again:
            pos: 0
            type: u4
          outer:
            io: _parent._io
            pos: 2
            type: s2
  segs:
    params: [{id: n, type: s4}]
    seq:
      - {id: starts, type: u2, repeat: expr, repeat-expr: n}
      - {id: ends, type: s2, repeat: expr, repeat-expr: n}
    instances:
      pairs: {value: 'starts[0] + ends[n - 1]'}
      pos0: {value: '_io.pos'}
