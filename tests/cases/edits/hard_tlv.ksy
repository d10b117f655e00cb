# data: 0b00b00002010b0216020200140000006244026100610243 | 04000004020202000000024461010043000042006443004442436302000164026164430064000062
meta:
  id: hard_tlv
  endian: le
seq:
  - {id: total, type: u2}
  - {id: es, type: e, repeat: until, repeat-until: '_io.pos >= total'}
  - {id: crc, type: u4}
types:
  e:
    seq: [{id: t, type: u1}, {id: l, type: u1}, {id: v, size: 'l < 2 ? 0 : l - 2'}]
