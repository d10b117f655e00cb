# data: 0a016100000201620200026e6f7721 | 0a016100000201620000046e6f7721 | 0c03616263000004016104000061626364
meta:
  id: hard_own_size
  endian: le
  encoding: ASCII
seq:
  - {id: header, type: header}
types:
  header:
    seq:
      - {id: len_entries, type: u1}
      - {id: entries, size: len_entries, type: entries}
  entries: {seq: [{id: all, type: entry, repeat: eos}]}
  entry:
    seq:
      - {id: len_name, type: u1}
      - {id: name, size: len_name, type: str}
      - {id: ofs, type: u1}
      - {id: unused, type: u1}
      - {id: len, type: u1}
    instances:
      body: {io: _root._io, pos: _root.header.len_entries + 1 + ofs, size: len}
