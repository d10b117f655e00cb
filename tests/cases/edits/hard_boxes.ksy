# data: 000201010802000263026241634441620000446200026442 | 00276141004402420061610261420141416342646362024100014201026142006443410241020161614244636144436161440144414201020202620202640141 | 01094400434364610100616462410162430044624301614402630042014162026164016301000141000001420001440044420142416202434200614444640202016161410064446161644300634201024362640002016142000041636263634264416261
meta:
  id: hard_boxes
  endian: le
seq:
  - {id: boxes, type: box, repeat: eos}
types:
  box:
    seq:
      - {id: len32, type: u1}
      - {id: kind, type: u1}
      - {id: len64, type: u2, if: len32 == 1}
      - id: body
        size: len
        type: {switch-on: kind, cases: {1: boxes, 2: full, 65: boxes}}
    instances:
      len: {value: 'len32 == 0 ? (_io.size - _io.pos) : len32 == 1 ? len64 - 4 : len32 - 2'}
  boxes: {seq: [{id: items, type: box, repeat: eos}]}
  full: {seq: [{id: v, type: u1}, {id: n, type: u1}, {id: es, type: u1, repeat: expr, repeat-expr: n}, {id: s, type: strz, encoding: ASCII}]}
