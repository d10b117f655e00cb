# data: 0000000c6d6f6f76000000006d0000000d66747970abcdef0102|00000008667265650000000166747970000000000000001141|0000000066747970aabb
meta: {id: mp4box, endian: be}
seq: [{id: items, type: boxes}]
types:
  boxes: {seq: [{id: items, type: box, repeat: eos}]}
  box:
    seq:
      - {id: len32, type: u4}
      - {id: kind, type: u4, enum: kind}
      - {id: len64, type: u8, if: len32 == 1}
      - id: body
        size: len
        type:
          switch-on: kind
          cases: {'kind::moov': boxes, 'kind::ftyp': ftyp}
    instances:
      len: {value: 'len32 == 0 ? (_io.size - 8) : (len32 == 1 ? len64 - 16 : len32 - 8)'}
  ftyp: {seq: [{id: major, type: str, size: 1, encoding: ASCII}, {id: rest, size-eos: true}]}
enums: {kind: {0x6d6f6f76: moov, 0x66747970: ftyp, 0x66726565: free}}
