# data: 010b61096444016461004403416200434142016200020100 | 0b610002610162646262620264616164434362444200444401026461020042414141016461020101
meta:
  id: hard_ptrchain
  endian: le
seq:
  - {id: first, type: u1}
instances:
  head: {pos: first, type: node, if: first != 0}
types:
  node:
    seq: [{id: next, type: u1}, {id: s, type: strz, encoding: ASCII}]
    instances:
      nx: {pos: next, type: node, if: 'next > 0 and next > _root.first'}
