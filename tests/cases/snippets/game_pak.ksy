# data: 50414b00100000000200000061622e7478740000000000020400000001020304
meta: {id: game_pak, endian: le, encoding: ASCII}
seq:
  - {id: magic, type: str, size: 4, valid: '"PAK\0"'}
  - {id: ofs, type: u4}
  - {id: n, type: u4}
  - {id: hdr, size: 0}
instances:
  index:
    pos: ofs - 4
    type: index(n)
types:
  index:
    params: [{id: count, type: u4}]
    seq:
      - id: entries
        type: entry
        repeat: expr
        repeat-expr: 'count > 100 ? 0 : count.as<u4> / 2'
    types:
      entry:
        seq:
          - {id: name, type: strz, size: 10, encoding: SHIFT_JIS}
          - {id: k, type: u1}
          - {id: len, type: u4}
        instances:
          is_txt: {value: 'name.length > 4 and name.substring(name.length - 4, name.length) == ".txt"'}
          body:
            io: _root._io
            pos: '_root._io.size - len'
            size: len
            process: xor([1, 2, 3].as<bytes>)
          body2:
            io: _root._io
            pos: '_root._io.size - len'
            size: len
            process: xor(len)
