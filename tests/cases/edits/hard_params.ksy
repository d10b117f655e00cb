# data: 040000636442054441644200620162440000624442434301 | 03036300444341440202020264046100442a436461004401 | 03026443440142000b44010163030162020064614264616100024261004401014141434441436142004163020261440200430100026262424462630061446164
meta:
  id: hard_params
  endian: le
seq:
  - {id: n, type: u1}
  - {id: k, type: u1}
  - {id: a, type: 'p(n, k > 1)'}
  - {id: bs, type: 'p(_index + 1, false)', repeat: expr, repeat-expr: k}
  - {id: c, type: q(a)}
types:
  p:
    params: [{id: len, type: u4}, {id: big, type: bool}]
    seq: [{id: v, size: 'big ? len * 2 : len'}, {id: m, type: u1}]
  q:
    params: [{id: other, type: p}]
    seq: [{id: w, size: other.m}, {id: z, size-eos: true}]
