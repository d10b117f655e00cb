# data: 00|01|02|05|0b
meta: {id: ternary3, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}]
instances:
  t: {value: 'a == 0 ? "zero" : a == 1 ? "one" : a < 5 ? "few" : a > 10 ? "many" : "some"'}
  i: {value: 'a == 0 ? 1 : a == 1 ? 2.5 : 3'}
  n: {value: '(a == 0 ? 8 : 16) + (a > 3 ? (a > 4 ? 1 : 2) : 3) * 2'}
