meta:
  id: everything
  title: All of it
  endian: le
  imports: [other]
doc: |
  - one
      - two
        goes on
      - three
  - four

  See other.ksy, `gone.ksy` and everything.ksy.
doc-ref: [https://a.example/1, https://a.example/2]
seq:
  - {id: n, -orig-id: [numThings, count], type: u1, valid: {min: 1, max: 9}}
  - {id: xs, type: u2, repeat: expr, repeat-expr: n + 1, if: n > 2}
  - {id: pet, type: u1, enum: animal}
  - {id: z, type: sub(n), size: n * 2}
  - {id: w, type: {switch-on: n, cases: {1: u1, _: sub(2)}}, size: 4}
  - {id: listed, type: u1, doc: "- one\n    - two\n      goes on\n    - three\n- four\n"}
  - {id: bare, type: bare}
  - {id: ruled, type: ruled}
  - {id: said, type: said}
  - {id: words, type: of_two}
  - {id: elsewhere, type: other}
instances:
  twice: {value: n * 2, doc: Two of them.}
  far: {pos: n * 4, size: 2}
enums:
  animal: {1: {id: cat, doc: It purrs., -orig-id: [CAT, FELIS]}, 0x20: dog}
  car: {1: {id: van, doc: It drives.}}
types:
  sub:
    params: [{id: p, type: u1}]
    seq: [{id: q, size: p}]
  bare: {seq: [{id: x, type: u1}]}
  ruled: {seq: [{id: x, type: u1, valid: 1}]}
  said: {seq: [{id: x, type: u1, doc-ref: page 1}]}
  of_two:
    doc: |
      - one
      - two
    seq: [{id: x, type: u1}]
