meta:
  id: parquet
  title: The frame of a Parquet file, and of levels in its pages
  file-extension: parquet
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
doc: |
  A Parquet file begins with a magic and ends with eight bytes, from which readers find
  the footer, a struct of Thrift in its compact form (footers.yaml):

      magic | pages | footer | tail
                      `- len_footer bytes
doc-ref: https://parquet.apache.org/docs/file-format/
-loom-tail: 65536
seq:
  - id: magic
    contents: PAR1
  - id: body
    size: _io.size - 12
    doc: Pages, indexes of pages, Bloom filters, and the footer at the end.
  - id: tail
    type: tail
types:
  tail:
    doc: The last eight bytes of a file.
    seq:
      - id: len_footer
        type: u4
        doc: Bytes of the footer, which ends where these eight begin.
      - id: magic
        contents: PAR1
  encrypted_tail:
    doc: The last eight bytes of a file whose footer is encrypted.
    seq:
      - id: len_footer
        type: u4
      - id: magic
        contents: PARE
  levels:
    doc: |
      Repetition or definition levels of a data page of the first version, before its
      values. Those of the second version have their sizes in the page's header.
    doc-ref: https://parquet.apache.org/docs/file-format/data-pages/
    seq:
      - id: len_levels
        type: u4
      - id: levels
        size: len_levels
        doc: Runs, and groups of eight levels.
