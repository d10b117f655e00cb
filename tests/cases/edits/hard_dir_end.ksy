# data: 02420000000200970062444402644444010106000f035a5a | 6200084344440242626401025a5a01016402010003025a5a | 00444302004300444200624441626100000101410062446463016462630063014242f10003045a5a
meta:
  id: hard_dir_end
  endian: le
seq:
  - {id: name, type: strz, encoding: ASCII}
instances:
  foot: {pos: _io.size - 6, type: foot}
types:
  foot:
    seq: [{id: ofs, type: u2}, {id: n, type: u1}, {id: len, type: u1}, {id: magic, contents: ZZ}]
    instances:
      entries: {pos: ofs, type: ent, repeat: expr, repeat-expr: n, io: _root._io}
      raw: {pos: ofs, size: len, io: _root._io}
  ent:
    seq: [{id: len, type: u1}, {id: s, size: len, type: str, encoding: UTF-8}]
