# data: 0401020304
meta: {id: self_ref, endian: be, bit-endian: be}
seq: [{id: len, type: u1}, {id: xs, size: len, type: list}]
types:
  list:
    seq: [{id: head, type: u1}, {id: tail, type: list, if: not _io.eof}]
    instances: {sum: {value: 'head + (_io.size > 0 and head < 4 ? tail.head : 0)'}}
