# data: 0102
meta: {id: toplevel_opaque, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1}]
to-string: '"v" + a.to_s'
