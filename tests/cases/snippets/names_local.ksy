# data: 02aabb0202ccdd01ee01ff
meta: {id: names_local, endian: le, encoding: UTF-8}
seq:
  - {id: index, type: u1}
  - {id: a, size: index}
  - {id: it, type: u1}
  - {id: kind, type: u1}
  - {id: b, size: it}
  - {id: at, type: u1}
  - {id: c, type: u1, repeat: expr, repeat-expr: at}
  - {id: io, type: u1}
  - {id: d, size: io}
