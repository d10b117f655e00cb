# data: 0203010204050607080910
meta: {id: parent_deep, endian: le}
seq:
  - {id: n, type: u1}
  - {id: a, type: lvl1, size: 6}
  - {id: b, type: lvl1::lvl2(3), parent: a}
types:
  lvl1:
    seq:
      - {id: m, type: u1}
      - {id: kids, type: lvl2(_index), repeat: expr, repeat-expr: _parent.n}
    types:
      lvl2:
        params: [{id: i, type: u4}]
        seq: [{id: v, type: u1}, {id: g, type: lvl3}]
        instances:
          up: {value: '_parent.m'}
          up2: {value: '_parent._parent.n'}
          io_size: {value: _parent._io.size}
        types:
          lvl3:
            seq: [{id: z, type: u1, if: '_parent._parent._parent.n == 2'}]
            instances:
              far: {value: '_parent._parent.m + _parent.i'}
              sib: {value: '_parent._parent.kids.size'}
              rootn: {value: '_root.a.m'}
