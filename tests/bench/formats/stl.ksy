meta: {id: stl, license: Apache-2.0, endian: le}
doc: A surface of triangles, as printers take it.
seq:
  - id: header
    size: 80
  - id: num_triangles
    type: u4
  - id: triangles
    type: triangle
    repeat: expr
    repeat-expr: num_triangles
types:
  triangle:
    seq:
      - id: normal
        type: vector
      - id: corners
        type: vector
        repeat: expr
        repeat-expr: 3
      - id: attributes
        type: u2
  vector:
    seq:
      - id: x
        type: f4
      - id: y
        type: f4
      - id: z
        type: f4
