meta:
  id: trailer
  title: The end of an HFile
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
  imports:
    - delimited
doc: |
  The last bytes of a file, as many as the version says (len_trailer).
  Readers begin here:

      magic | len_message | message | zeros | version

  The version is one integer, minor << 24 | major, so its bytes are the minor,
  two zeros, and the major. Nothing protects a trailer from damage.
doc-ref: https://hudi.apache.org/docs/hfile_format#trailer
-loom-tail: 65536
seq:
  - id: magic
    contents: 'TRABLK"$'
  - id: body
    -orig-id: FileTrailerProto
    type: delimited
  - id: padding
    size: _io.size - _io.pos - 4
    doc: Zeros.
  - id: version
    type: version
types:
  version:
    doc: |
      Version 3 is written by HBase (minor 3; minor 0 by HBase 1) and Hudi (minor 0),
      version 2 of minor 3 by some settings of HBase 2. The rest is refused: version
      1 lost its readers long ago, version 4 is a container of files of version 3.
    seq:
      - id: minor
        type: u1
      - id: major
        type: b24
    instances:
      len_trailer:
        value: 'major == 3 ? 4096 : 212'
        doc: Bytes of the whole trailer.
