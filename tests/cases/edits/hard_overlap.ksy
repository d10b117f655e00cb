# data: 0e0101424141416200614162444261446444624342000243 | 0b0402640163436444610200416463434442426464446401 | 03020000626242630043024342624102000002636301010201426161004462636300000263020100
meta:
  id: hard_overlap
  endian: le
seq:
  - {id: ofs_a, type: u1}
  - {id: ofs_b, type: u1}
  - {id: len_b, type: u1}
  - {id: mid, size: 3}
instances:
  a: {pos: ofs_a, type: strz, encoding: ASCII}
  b: {pos: ofs_b, size: len_b}
  c: {pos: ofs_a + 1, size: 2}
  tail: {pos: ofs_b + len_b, size-eos: true}
  all: {pos: 0, size-eos: true}
