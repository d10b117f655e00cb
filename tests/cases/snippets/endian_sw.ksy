# data: 49490100|4d4d0001|58580001
meta: {id: endian_sw}
seq: [{id: order, size: 2}, {id: body, type: body}]
types:
  body:
    meta:
      endian:
        switch-on: _root.order
        cases: {'[0x49, 0x49]': le, '[0x4d, 0x4d]': be}
    seq: [{id: v, type: u2, valid: {any-of: [1]}}, {id: s, type: sub}]
    types: {sub: {instances: {w: {pos: 2, type: s2}}}}
