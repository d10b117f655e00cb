# data: 610001010264614242020062010162620001625858587a42 | 6400614241630162620243424463000104414200430241434141007a426102010264644101006141 | 41420061416300020002000000006400036244414153434949000262434241634464004444626264420244620141024144446201610163640201414400646441
meta:
  id: hard_padstr
  endian: le
seq:
  - {id: a, size: 8, type: str, encoding: ASCII, pad-right: 0x20}
  - {id: b, size: 8, type: strz, encoding: ASCII}
  - {id: n, type: u1}
  - {id: c, size: n, type: strz, encoding: ASCII}
  - {id: d, size: n + 2, terminator: 0x41, include: true}
  - {id: e, terminator: 0x42, consume: false, eos-error: false}
  - {id: f, size-eos: true, pad-right: 0}
