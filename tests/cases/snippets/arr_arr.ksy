# data: 020301020304050607
meta: {id: arr_arr, endian: le, encoding: UTF-8}
seq:
  - {id: w, type: u1}
  - {id: h, type: u1}
  - {id: rows, type: row, repeat: expr, repeat-expr: h}
instances:
  cell: {value: 'rows[1].cells[0]'}
  lst: {value: '[[1, 2], [3, 4]]'}
  m: {value: 'lst[1][0]'}
  s: {value: '[rows[0].cells, rows[1].cells]'}
  bb: {value: '[[1, 2].as<bytes>, [3].as<bytes>]'}
types:
  row: {seq: [{id: cells, type: u1, repeat: expr, repeat-expr: _parent.w}]}
