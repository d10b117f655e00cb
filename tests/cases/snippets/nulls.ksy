# data: 0005|0105|0203
meta: {id: nulls, endian: le}
seq: [{id: f, type: u1}]
instances:
  a: {pos: 1, type: u1, if: f == 1}
  e: {pos: 1, type: u1, enum: en, if: f == 1}
  t: {pos: 1, type: t, if: f == 1}
  b: {value: a}
  c: {value: 'f == 2 ? 7 : a'}
  d: {value: b + 1}
  g: {value: e}
  h: {value: t}
  i: {value: h.x}
  j: {value: 'f == 0 ? a : b'}
  l: {value: '(f == 1 ? t : h).x'}
  m: {value: 'f', if: f == 2}
  n: {value: m}
  o: {value: 'n == 2'}
  p: {value: t.y}
  q: {value: 'g == en::five'}
  r: {value: b, if: f == 1}
  s: {value: 'f == 1 ? e : en::three'}
types: {t: {seq: [{id: x, type: u1}], instances: {y: {value: x, if: x == 4}}}}
enums: {en: {5: five, 3: three}}
