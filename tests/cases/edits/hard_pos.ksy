# data: 004163646400414304004300080000415343494964410042 | 1741420044434264006400026243446301414200634464610b004162024302614100610500610041
meta:
  id: hard_pos
  endian: le
seq:
  - {id: start, size: 0}
  - {id: n, type: u1}
  - {id: s, type: str, size: n, encoding: ASCII}
  - {id: align, size: (-_io.pos) % 8}
  - {id: rec, type: rec, repeat: expr, repeat-expr: 2}
  - {id: rest, size-eos: true}
types:
  rec:
    seq:
      - {id: here, size: 0, if: begin >= 0}
      - {id: len, type: u2}
      - {id: d, type: strz, encoding: ASCII}
      - {id: fill, size: len - (_io.pos - begin)}
    instances:
      begin: {value: _io.pos}
