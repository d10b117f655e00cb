# data: 0201020304050607
meta: {id: params_all, endian: le}
seq:
  - {id: n, type: u1}
  - {id: arr, type: u1, repeat: expr, repeat-expr: n}
  - {id: it, type: item, repeat: expr, repeat-expr: n}
  - {id: k, type: 'taker(arr, it, it[0], kind::b, true, 1.5, "x", [1, 2, 3], _root, _io, n > 1 ? it[1] : it[0])'}
types:
  item: {seq: [{id: v, type: u1}]}
  taker:
    params:
      - {id: nums, type: 'u1[]'}
      - {id: items, type: 'item[]'}
      - {id: one, type: item}
      - {id: e, type: u1, enum: kind}
      - {id: flag, type: bool}
      - {id: fl, type: f8}
      - {id: s, type: str}
      - {id: by, type: bytes}
      - {id: root, type: params_all}
      - {id: stream, type: io}
      - {id: st, type: struct}
    seq:
      - {id: q, type: u1, if: flag}
      - id: sw
        type:
          switch-on: flag
          cases: {true: item, false: u2}
    instances:
      total: {value: 'nums[0] + items[1].v + one.v + by[2] + root.n'}
      len: {value: 's.length + stream.size'}
      isb: {value: 'e == kind::b'}
      tern: {value: 'flag ? fl : 2'}
      tern2: {value: 'flag ? 1 : 2.5'}
      st2: {value: 'st.as<item>.v'}
      up: {value: '_parent.n'}
      isroot: {value: '_root.n == root.n'}
      peek: {io: stream, pos: 0, type: u1}
      mx: {value: 'nums.max * nums.min'}
      lastv: {value: 'items.last.v + items.first.v + items.size'}
enums: {kind: {1: a, 2: b}}
