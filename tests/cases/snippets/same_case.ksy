# data: 0105060708|0205060708
meta: {id: same_case, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - {id: b, type: {switch-on: k, cases: {1: p(1), 2: p(4)}}}
types:
  p: {params: [{id: v, type: u1}], seq: [{id: x, type: u1}, {id: y, size: 3, if: v >= 4}]}
