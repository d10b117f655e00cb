# data: 00090261414362640100020044440064424164006262000042026102010242004342444263614362 | 000b0000436141624341006200634402410100000100626300436400004200010162410142006300000144634244636441414443640100440200620001426262434302006302010000644442004300426400446143020143610262610041016463004362
meta:
  id: hard_parent
  endian: le
seq:
  - {id: hdr, type: hdr}
  - {id: blocks, type: block, repeat: expr, repeat-expr: hdr.n}
types:
  hdr: {seq: [{id: n, type: u1}, {id: item_size, type: u1}, {id: per, type: u1}]}
  block:
    seq:
      - {id: items, size: _root.hdr.item_size, repeat: expr, repeat-expr: _parent.hdr.per}
      - {id: k, type: u1}
      - {id: sub, type: sub}
    types:
      sub:
        seq:
          - {id: v, size: _parent.k}
          - {id: w, size: _parent.k + _root.hdr.per}
