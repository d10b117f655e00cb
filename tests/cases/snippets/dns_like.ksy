# data: 000102036162630161c0020161000001c00200
meta: {id: dns_like, endian: be}
seq:
  - {id: id, type: u2}
  - {id: names, type: name, repeat: expr, repeat-expr: 2}
types:
  name:
    seq: [{id: parts, type: label, repeat: until, repeat-until: '_.len == 0 or _.len >= 0b1100_0000'}]
  label:
    seq:
      - {id: len, type: u1}
      - {id: ptr, type: ptr, if: is_ptr}
      - {id: text, type: str, encoding: ASCII, size: len, if: not is_ptr}
    instances: {is_ptr: {value: 'len >= 0xc0'}}
  ptr:
    seq: [{id: v, type: u1}]
    instances: {contents: {io: _root._io, pos: 'v + ((_parent.len - 192) << 8)', type: name}}
