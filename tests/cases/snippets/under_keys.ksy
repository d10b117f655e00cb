# data: 53020000
meta: {id: under_keys, endian: le, encoding: UTF-8}
seq: [{id: a, type: u4, enum: e}]
enums:
  e:
    0x0000_0253: first
    0x0253_f2f4: second
    1_000: third
    0b1010_1010: fourth
    0o17: fifth
instances:
  b: {value: 'a == e::first ? 1_000 : 0xff_ff'}
