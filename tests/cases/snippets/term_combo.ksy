# data: 6162006364006566|61620063640065660000ff00|
meta: {id: term_combo, encoding: UTF-8}
seq:
  - {id: a, terminator: 0}
  - {id: b, terminator: 0, include: true}
  - {id: c, terminator: 0, eos-error: false}
  - {id: d, terminator: 0, consume: false, eos-error: false}
  - {id: e, size-eos: true, terminator: 0xff, pad-right: 0}
instances:
  f: {pos: 0, type: strz, size: 5}
  g: {pos: 0, size: 5, terminator: 0x62, include: true}
  h: {pos: 0, size: 6, pad-right: 0, terminator: 0x64}
  i: {pos: 1, type: sub, terminator: 0}
  j: {pos: 1, type: sub, size-eos: true, terminator: 0x65, include: true}
types:
  sub: {seq: [{id: x, size-eos: true}]}
