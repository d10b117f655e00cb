# data: 858301
meta: {id: fold, endian: le, encoding: UTF-8}
seq: [{id: groups, type: g, repeat: until, repeat-until: not _.more}]
types: {g: {seq: [{id: b, type: u1}], instances: {more: {value: (b & 0x80) != 0}, v: {value: b & 0x7f}}}}
instances:
  last: {value: groups.size - 1}
  value: {value: 'groups[last].v + (last >= 1 ? (groups[last - 1].v << 7) : 0) + (last >= 2 ? (groups[last - 2].v << 14) : 0)'}
