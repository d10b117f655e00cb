meta:
  id: roles
  endian: le
seq:
  - {id: head, type: head}
  - {id: size_itself, type: u1}
  - {id: size_less, type: u1}
  - {id: each_size, type: u1}
  - {id: count, type: u1}
  - {id: kind, type: u1}
  - {id: flag, type: u1}
  - {id: documented, type: u1, doc: Its own words.}
  - {id: nothing, type: u1}
  - {id: a, size: size_itself}
  - {id: b, size: size_less - 1}
  - {id: c, size: each_size, repeat: expr, repeat-expr: count}
  - {id: d, size: head.len, type: {switch-on: kind, cases: {1: inner, 2: inner}}}
  - {id: e, type: u1, if: flag == 1}
  - {id: f, type: u1, if: flag == 1 or flag == 2}
  - {id: g, size: documented}
  - {id: own, type: own(1)}
  - {id: on, type: b1}
  - {id: x0, type: u1, if: on}
  - {id: x1, type: u1, if: on}
  - {id: x2, type: u1, if: on}
  - {id: x3, type: u1, if: on}
  - {id: x4, type: u1, if: on}
  - {id: x5, type: u1, if: on}
  - {id: x6, type: u1, if: on}
types:
  head: {seq: [{id: len, type: u1}, {id: is_on, type: b1}, {id: offset, type: u4}]}
  inner: {seq: [{id: x, size: _root.head.len, if: _root.head.is_on}]}
  own:
    params: [{id: n, type: u1}]
    seq: [{id: x, size: n}]
    instances:
      far: {pos: _root.head.offset, size: twice}
      twice: {value: n * 2}
