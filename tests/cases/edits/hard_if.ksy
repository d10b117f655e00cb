# data: 030004626443430144446463000042424464016363006461 | 17020241614141626444414241614143006443424144026341444163646400636200010062436441 | 0b000202004100430044616100016400410000446444624364436200000000634402630262026100420262434163624462010061440243420000614342614364
meta:
  id: hard_if
  endian: le
seq:
  - {id: flags, type: u1}
  - {id: len_a, type: u1, if: flags & 1 != 0}
  - {id: len_b, type: u1, if: flags & 2 != 0}
  - {id: a, size: len_a, if: flags & 1 != 0}
  - {id: b, size: len_b, if: len_b > 2}
  - {id: c, size: 'flags & 4 != 0 ? len_a * 2 : 3'}
  - {id: d, size: 2, if: _io.size - _io.pos > 4}
  - {id: e, size-eos: true}
