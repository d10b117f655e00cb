# data: 0001000461000100040000000061000000630100000000006162
meta: {id: sfnt_like, endian: be}
seq:
  - {id: ver, type: u2, valid: {any-of: [1, 2]}}
  - {id: n, type: u2}
instances:
  dirs: {pos: 4, type: dir, repeat: expr, repeat-expr: 'n / 4'}
types:
  dir:
    seq: [{id: tag, type: str, size: 1, encoding: ascii}, {id: ofs, type: u2}, {id: len, type: u2}]
    instances:
      tbl:
        io: _root._io
        pos: ofs
        size: 'len > 0 ? len + 2 : 4'
        type: {switch-on: tag, cases: {'"a"': ta, _: tb}}
    types:
      ta:
        seq: [{id: k, type: u1, enum: k}, {id: l, type: 'lst(k)', repeat: until, repeat-until: '_.v == 0 or _io.eof'}]
        enums: {k: {0: z, 1: one, 4: four}}
        types:
          lst:
            params: [{id: kk, type: u1, enum: ta::k}]
            seq: [{id: v, type: u1}]
            instances: {w: {value: 'kk == k::four ? v : -v', if: v > 0}, upper: {value: '_parent.k == kk'}, far: {value: _root.dirs.size}}
      tb: {seq: [{id: rest, size-eos: true}]}
