meta: {id: streams}
seq:
  - {id: shared, type: shared}
  - {id: own, type: own, size: 4}
  - {id: both, type: both}
types:
  shared: {seq: [{id: deep, type: deep}]}
  deep: {seq: [{id: x, type: u1}]}
  own: {seq: [{id: inside, type: inside}, {id: both, type: both}]}
  inside:
    seq: [{id: x, type: u1, if: "_io.size > 1"}]
    instances:
      here: {pos: 1, type: u1}
      there: {pos: 1, type: from_root, io: _root._io}
      around: {value: _parent.both.x}
      left: {value: _parent._io.pos}
  both: {seq: [{id: x, type: u1}]}
  from_root: {seq: [{id: x, type: u1}]}
  unused: {seq: [{id: x, type: unused}]}
