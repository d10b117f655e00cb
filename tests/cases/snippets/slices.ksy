# data: 68656c6c6f20776f726c64
meta: {id: slices, encoding: ASCII}
seq: [{id: s, type: str, size-eos: true}]
instances:
  a: {value: 's.substring(0, 3)'}
  b: {value: 's.substring(s.length - 3, s.length)'}
  n: {value: s.length}
  c: {value: 's.substring(n / 2, n)'}
  d: {value: 's.substring(1, n).reverse.substring(0, 2)'}
  e: {value: '(s + s).substring(0, n + 2) + "x"'}
  f: {value: 's.substring(s == "hello" ? 0 : 1, s.length < 3 ? 1 : s.length > 20 ? 20 : s.length) + s.substring(0, n) + s.substring(n - 1, n)'}
