# data: 524946460c0000006162636403000000010203000000000000
meta: {id: odd_chunk, endian: le}
seq:
  - {id: m, contents: RIFF}
  - {id: len, type: u4}
  - {id: body, size: len, type: body}
types:
  body:
    seq: [{id: fmt, type: u4be, enum: cc}, {id: chunks, type: ch, repeat: eos}]
  ch:
    seq:
      - {id: len, type: u4}
      - {id: data, size: len}
      - {id: pad, size: len % 2, if: not _io.eof}
enums: {cc: {0x61626364: abcd}}
