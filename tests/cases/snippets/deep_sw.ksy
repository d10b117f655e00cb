# data: 01020361620004
meta: {id: deep_sw, endian: le, encoding: UTF-8}
seq:
  - {id: t, type: u1}
  - id: items
    type: item
    repeat: eos
types:
  item:
    seq:
      - {id: tag, type: u1, enum: tag}
      - id: body
        type:
          switch-on: tag
          cases:
            tag::int: u1
            tag::str: strz
            tag::list: lst
    types:
      lst: {seq: [{id: num, type: u1}, {id: xs, type: item, repeat: expr, repeat-expr: num}]}
    instances:
      is_list: {value: tag == tag::list}
enums: {tag: {1: list, 2: int, 3: str}}
