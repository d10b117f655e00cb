# data: 00
meta: {id: doc_n, endian: le, encoding: UTF-8}
doc: |
  Contains \N and \x and \u12 backslashes, """quotes""" and ends with \
seq:
  - id: a
    type: u1
    doc: 'see \N{foo} \N'
    doc-ref: 'C:\New\users'
