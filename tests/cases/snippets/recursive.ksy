# data: 0202000100
meta: {id: recursive, endian: le, encoding: UTF-8}
seq: [{id: root_node, type: node}]
types:
  node:
    seq:
      - {id: num, type: u1}
      - {id: kids, type: node, repeat: expr, repeat-expr: num, if: num < 4}
    instances: {count: {value: 'num == 0 ? 1 : kids.size'}}
