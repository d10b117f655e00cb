# data: 68656c6c6f2c313233
meta: {id: strs, endian: le, encoding: UTF-8}
seq: [{id: a, type: str, size: 5}, {id: c, type: str, size: 1}, {id: n, type: str, size: 3}]
instances:
  l: {value: a.length}
  r: {value: a.reverse}
  s: {value: 'a.substring(1, 3)'}
  i: {value: n.to_i}
  h: {value: n.to_i(16)}
  cat: {value: 'a + c + n + "\n\t\"q\\"'}
  cmp: {value: 'a < n or a == "hello"'}
  t: {value: l.to_s + "x"}
  f: {value: 'f"n={n.to_i} a={a}"'}
  e: {value: "'a\\b'"}
  u: {value: '"\u00e9\101"'}
