# data: 8101ff7f05|7f8000
meta: {id: vlq, endian: be, bit-endian: be}
seq: [{id: v, type: v, repeat: eos}]
types:
  v:
    seq: [{id: groups, type: group, repeat: until, repeat-until: not _.has_next}]
    instances:
      last: {value: groups.size - 1}
      value: {value: '(groups[last].value + (last >= 1 ? (groups[last - 1].value << 7) : 0) + (last >= 2 ? (groups[last - 2].value << 14) : 0)).as<u8>'}
      sign: {value: '(1 << (7 * groups.size - 1)).as<u8>'}
      signed: {value: '((value ^ sign) - sign).as<s8>'}
    types:
      group:
        -webide-representation: '{value}'
        seq: [{id: has_next, type: b1}, {id: value, type: b7}]
