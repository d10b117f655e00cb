# data: 0105|0205
meta: {id: common_sw, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - {id: b, type: {switch-on: k, cases: {1: u1, 2: s1, 3: u2, 4: f4}}}
  - {id: c, type: {switch-on: k, cases: {1: u1, 2: u2, 3: b4}}, if: k == 7}
instances:
  x: {value: b + 1}
