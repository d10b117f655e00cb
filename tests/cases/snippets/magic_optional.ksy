# data: 01abcd|00
meta: {id: magic_optional, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - {id: m, contents: [0xab, 0xcd], if: k == 1}
  - {id: n, contents: [1], if: k == 2}
instances: {has: {value: 'k == 1 ? m.length : 0'}}
