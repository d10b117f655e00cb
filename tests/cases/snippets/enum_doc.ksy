# data: 00
meta: {id: enum_doc, endian: le, encoding: UTF-8}
seq: [{id: a, type: u1, enum: e}]
enums:
  e:
    0: {id: none, doc: nothing, -orig-id: NONE}
    1:
      id: 'true'
      doc: |
        Long
        doc with \N and """ quotes
      doc-ref: http://x.y
    2: class
    3: none_
    4: {id: self}
    5: name
    6: value
