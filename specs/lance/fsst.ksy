meta:
  id: fsst
  title: FSST symbol table of Lance
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
doc: |
  The pieces of text that codes of a page represent. The table has a fixed size in the
  page's description, whatever follows the lengths being unused.
doc-ref: https://www.vldb.org/pvldb/vol13/p2649-boncz.pdf
seq:
  - id: num_symbols
    type: u1
    doc: Codes that represent a symbol. 255 escapes the byte after it.
  - id: terminator
    type: u1
    doc: A byte that writers put at the end of text; readers do not need it.
  - id: suffix_limit
    type: u1
    doc: The first code whose symbol is a part of no longer one; readers do not need it.
  - id: is_coded
    type: u1
    valid:
      max: 1
    doc: 0 if the values are not coded.
  - id: magic
    contents: TSSF
  - id: symbols
    size: 8
    repeat: expr
    repeat-expr: num_symbols
    doc: The bytes of each symbol, padded with zeros.
  - id: lengths
    type: u1
    valid:
      min: 1
      max: 8
    repeat: expr
    repeat-expr: num_symbols
    doc: Bytes of each symbol.
  - id: unused
    size-eos: true
