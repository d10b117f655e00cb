# data: 160402634107000161410101640301010101010202420000 | 19000943410164416402426102004200020061040044026201090262430000010200424400426363 | 01000144614200024243444400426162416300444262006100444164434202640143024164640064
meta:
  id: hard_substream
  endian: le
seq:
  - {id: len, type: u1}
  - {id: sub, type: sub, size: len}
  - {id: len2, type: u1}
  - {id: tail, size: len2}
types:
  sub:
    seq:
      - {id: ofs, type: u1}
      - {id: items, type: item, repeat: eos}
    instances:
      last: {pos: _io.size - 1, type: u1}
      at: {pos: ofs, size: 2}
      sz: {value: _io.size}
      from_root: {io: _root._io, pos: 0, type: u1}
      parent_tail: {value: _parent.len2}
  item: {seq: [{id: n, type: u1}, {id: v, size: n}]}
