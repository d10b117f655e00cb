# data: 01020304050607080910
meta: {id: lazy_order, endian: le}
seq:
  - {id: a, type: u1}
  - {id: b, type: u1, if: 'peek == 3'}
  - {id: c, size: hdr.len}
  - {id: d, type: u1, repeat: expr, repeat-expr: 'hdr.k == 4 ? 1 : 2'}
instances:
  peek: {pos: 2, type: u1}
  hdr: {pos: 1, type: hdr}
  calc: {value: 'peek + a + hdr.len'}
  calc2: {value: 'calc * calc'}
  lst: {value: '[a, calc, 3]'}
  lst2: {value: '[a, calc, 300][1]'}
  strs: {value: '["a", "b"]'}
  pick: {value: 'strs[a]'}
  by: {value: '[1, 2, 0xff]'}
  byl: {value: 'by.size'}
  tern: {value: 'a == 1 ? [1, 2] : [3, 4]'}
types: {hdr: {seq: [{id: len, type: u1}, {id: q, type: u1}, {id: k, type: u1}]}}
