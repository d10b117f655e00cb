# data: ffffffffffffffff0000000000000080
meta: {id: big64, endian: le, encoding: UTF-8}
seq: [{id: a, type: u8}, {id: b, type: s8}]
instances: {c: {value: a + 1}, d: {value: b - 1}, e: {value: a & 0x8000_0000_0000_0000}, f: {value: 0xffff_ffff_ffff_ffff}}
