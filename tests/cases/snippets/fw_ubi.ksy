# data: 0001020301deadbeef01f0f1f2f3f4f50908|01000100020102030405060708090a0b0c
meta:
  id: fw_ubi
seq:
  - {id: order, type: u1}
  - {id: main, type: main}
types:
  main:
    meta:
      endian:
        switch-on: _root.order
        cases: {0: be, 1: le}
    seq:
      - {id: a, type: u2}
      - {id: b, type: child(0)}
      - {id: c, type: child(1)}
    instances:
      d: {pos: 1, type: u4}
      e: {value: 'd.as<u8> + 1'}
    types:
      child:
        params: [{id: k, type: u1}]
        seq: [{id: v, type: u4, if: k == 1}, {id: w, type: grand}]
        types:
          grand:
            seq: [{id: z, type: s2}, {id: f, type: f4be, if: 'false'}]
            instances: {p: {value: '_parent.k'}}
