meta: {id: around, endian: le}
doc: Records that are read by what comes before them, around them and in their own lists.
seq:
  - {id: order, type: u1}
  - {id: flags, type: flags}
  - {id: body, type: body(order)}
types:
  flags:
    seq:
      - {id: spare, type: b7}
      - {id: has_more, type: b1}
  body:
    meta:
      endian:
        switch-on: _root.order
        cases: {0: le, 1: be, 2: le}
    params:
      - {id: kind, type: u1}
    seq:
      - {id: limit, type: u2}
      - {id: head, type: head}
      - {id: rows, type: row(kind), repeat: eos}
    types:
      head:
        seq:
          - {id: scale, type: s2}
  row:
    meta: {endian: be}
    params:
      - {id: kind, type: u1}
    seq:
      - {id: n, type: u2, valid: {max: _parent.limit}}
      - {id: own, type: own}
      - {id: items, type: item, repeat: expr, repeat-expr: 'n & 3'}
      - {id: numbers, type: s2, repeat: until, repeat-until: _ >= 0}
      - id: x
        type:
          switch-on: kind + n % 3
          cases: {0: u1, 1: s2, 2: u8, 3: s8, 4: b3}
      - {id: more, type: u1, if: _root.flags.has_more}
      - {id: y, size: 'items[n & 1].value & 3', if: 'n & 4 != 0'}
      - id: z
        size: |
          items.size > 1 and items[1].value > numbers[0]
          ? items[0].value & 3
          : _parent.head.scale
        if: n & 8 != 0
      - {id: text, type: str, encoding: UTF-8, size: len_text, if: is_text}
    instances:
      is_text: {value: n & 16 != 0}
      len_text: {value: n & 3, if: is_text}
  own:
    meta:
      endian:
        switch-on: _parent.n % 3
        cases: {0: be, 1: le}
    seq:
      - {id: value, type: u4, valid: {max: 0x2000000}}
  item:
    seq:
      - {id: value, type: u1}
