# data: 03e5f0aa5533112233|02ffe5f0aa5533e111
meta: {id: bit_rows, endian: be}
seq:
  - {id: w, type: u1}
  - {id: rows, type: row, repeat: eos}
types:
  row: {seq: [{id: px, type: px, repeat: expr, repeat-expr: _root.w}, {id: flag, type: b2}, {id: e, type: end}]}
  px: {seq: [{id: r, type: b1}, {id: g, type: b2}]}
  end: {seq: [{id: by, size: 1}]}
