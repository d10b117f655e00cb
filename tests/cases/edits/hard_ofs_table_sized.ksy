# data: 0b0001000100010009000200c20003000300f5000900090002004144644441006100416142006442 | 09000b001d001c000900030004000400000004000200626200026264644441416361020161006242 | 02000b00160002000042004150495f56455253494f4e026141440044644362006243010000016400020000440061626262000263420001444201610062010244
meta:
  id: hard_ofs_table_sized
  endian: le
seq:
  - {id: num, type: u2}
  - {id: ofs, type: u2, repeat: expr, repeat-expr: num + 1}
instances:
  parts:
    type: part(_index)
    repeat: expr
    repeat-expr: num
types:
  part:
    params: [{id: idx, type: u4}]
    instances:
      len: {value: '_root.ofs[idx + 1] - _root.ofs[idx]'}
      data: {pos: '_root.ofs[idx]', size: len, if: len > 0}
