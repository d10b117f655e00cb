# data: a50102|5a0001
meta: {id: bools, bit-endian: be, endian: be}
seq:
  - {id: f, type: b1}
  - {id: g, type: b1}
  - {id: rest, type: b6}
  - id: v
    type: {switch-on: 'f and not g', cases: {true: u1, false: s1}}
  - id: w
    type: {switch-on: f, cases: {true: 'rec(g, f)', _: 'rec(false, g)'}}
types:
  rec:
    params: [{id: p, type: bool}, {id: q, type: b1}]
    seq: [{id: x, type: u1, if: p or q}]
    instances: {n: {value: 'p.to_i + q.to_i'}, t: {value: 'p == q'}, u: {value: '(p ? 1 : 0) | (q ? 2 : 0)'}}
instances:
  i: {value: f.to_i}
  both: {value: f and g or rest == 0b100101}
  ne: {value: 'f != g'}
