# data: 01020304
meta: {id: and_or, endian: le, encoding: UTF-8}
seq:
  - {id: and, type: u1}
  - {id: or, type: u1}
  - {id: true, type: u1}
  - {id: t, type: or}
types:
  or: {seq: [{id: and, type: u1}]}
instances:
  x: {value: t.and + _root.or}
