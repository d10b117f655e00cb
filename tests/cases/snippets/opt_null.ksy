# data: 0005|0105|
meta: {id: opt_null, endian: le}
seq:
  - {id: f, type: u1}
  - {id: a, type: u1, if: f != 0}
  - {id: r, type: t, if: f != 0}
instances:
  b: {value: a + 1}
  c: {value: r.x}
  d: {value: a, if: f == 0}
  e: {value: 'f == 0 ? 0 : a'}
  g: {value: 'f != 0 and a > 3'}
  h: {value: r}
  i: {value: 'h.x', if: 'f != 0'}
  j: {value: 'a == 5'}
types: {t: {seq: [{id: x, type: u1, if: '_parent.f == 2'}], instances: {y: {value: x}}}}
