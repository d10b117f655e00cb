# data: 7b03010202ff0302ffff|5d
meta: {id: recur, endian: be}
seq: [{id: root, type: val}]
types:
  val:
    seq:
      - {id: t, type: u1, enum: t}
      - id: v
        type:
          switch-on: t
          cases:
            't::list': list
            't::map': map
            't::int': u1
    enums: {t: {0x7b: list, 0x5d: map, 2: int, 255: nil}}
  list:
    seq:
      - {id: n, type: u1}
      - {id: items, type: val, repeat: expr, repeat-expr: n}
  map:
    seq: [{id: k, type: val}, {id: v, type: val}]
