# data: 01020304
meta: {id: nest5, endian: le, encoding: UTF-8}
seq: [{id: a, type: l1}]
types:
  l1:
    seq: [{id: b, type: l2}]
    types:
      l2:
        seq: [{id: c, type: l3}]
        types:
          l3:
            seq: [{id: d, type: l4}]
            types:
              l4:
                seq: [{id: e, type: u1, enum: k}, {id: f, type: l1::l2::l3::l5}]
                enums: {k: {1: one}}
              l5:
                seq: [{id: g, type: u1}]
                instances:
                  up: {value: _parent._parent._parent._parent._parent.a.b.c.d.e}
                  q: {value: 'nest5::l1::l2::l3::l4::k::one'}
                  r: {value: 'l4::k::one.to_i'}
