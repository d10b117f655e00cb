# data: 50574144020000000c00000061620000000000000100000004000000424141414800000000010000000000424200
meta: {id: wad, endian: le, encoding: ASCII}
seq:
  - {id: magic, type: str, size: 4, valid: {any-of: ['"IWAD"', '"PWAD"']}}
  - {id: num, type: s4}
  - {id: ofs, type: s4}
instances:
  index:
    pos: ofs
    type: entry
    repeat: expr
    repeat-expr: num
types:
  entry:
    seq: [{id: ofs, type: s4}, {id: len, type: s4}, {id: name, type: str, size: 2, pad-right: 0}]
    instances:
      contents:
        io: _root._io
        pos: ofs
        size: len
        type:
          switch-on: name
          cases: {'"AA"': aa, '"BB"': bb}
  aa: {seq: [{id: xs, type: u1, repeat: eos}]}
  bb: {seq: [{id: xs, type: u2, repeat: expr, repeat-expr: '_io.size / 2'}]}
