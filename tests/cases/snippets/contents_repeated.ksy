# data: 010201020102027878010201020707|0102010201020001020707
meta: {id: contents_repeated}
doc: The same bytes several times, by a number, up to a rule and up to the end, and read when asked for.
seq:
  - {id: three, contents: [1, 2], repeat: expr, repeat-expr: 3}
  - {id: num_letters, type: u1}
  - {id: letters, contents: x, repeat: expr, repeat-expr: num_letters, if: num_letters > 0}
  - {id: pairs, contents: [1, 2], repeat: until, repeat-until: _io.size - _io.pos < 4}
  - {id: rest, contents: [7], repeat: eos}
instances:
  again: {pos: 0, contents: [1, 2], repeat: expr, repeat-expr: 2}
  single: {pos: 2, contents: [1, 2]}
