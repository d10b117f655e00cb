# data: 020b000500cd15446342004441004263446202446241446101010043430044440162004402446262 | 0b0300020009002d0009001600090003000b0009002c000b090009000902093f4d0b444361000062440243644150495f56455253494f4e634400006202424241006362000000634402634363634162636361614402646243620000630002624400630064
meta:
  id: hard_offsets_parallel
  endian: le
seq:
  - {id: n, type: u1}
  - {id: ofs, type: u2, repeat: expr, repeat-expr: n}
  - {id: lens, type: u1, repeat: expr, repeat-expr: n}
  - {id: names, type: strz, encoding: ASCII, repeat: expr, repeat-expr: n}
instances:
  items:
    type: item(_index)
    repeat: expr
    repeat-expr: n
types:
  item:
    params: [{id: i, type: u4}]
    instances:
      body: {io: _root._io, pos: '_root.ofs[i]', size: '_root.lens[i]'}
