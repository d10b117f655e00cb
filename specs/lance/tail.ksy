meta:
  id: tail
  title: The end of a Lance file
  file-extension: lance
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
doc: |
  A Lance file is read from its end. All have a version and a magic there; before
  them a file of 2.x has the places of its parts, and files of version 0.1 and
  manifests the place of one message.

      pages | global buffers | columns | column extents | buffer extents | footer
      pages | page table | message | legacy_tail

  A file of 2.x is read in these steps:

  - The last 40 bytes are a footer. At ofs_buffer_extents are num_buffers extents, at
    ofs_column_extents num_columns extents. Offsets count from the start of the file.
  - The first of the buffer extents is where global buffer 0 is, a FileDescriptor
    (file.proto): the schema, and the number of rows.
  - Each column extent is where a ColumnMetadata (file2.proto) is: the pages of the
    column, each with the places of its buffers and its encoding.
  - The encoding of a page is a DirectEncoding, whose bytes are a Described. From 2.1
    on the value of that is a PageLayout (encodings21.proto); chunks.ksy has the bytes
    of the most common one, MiniBlockLayout. In 2.0 it is an ArrayEncoding
    (encodings20.proto).
doc-ref: https://lance.org/format/file/#file-layout
-loom-tail: 65536
seq:
  - id: body
    size: _io.size - 8
  - id: version
    type: version
types:
  version:
    doc: |
      0/0 to 0/2 is version 0.1, as is the pair of manifests; 0/3, and 2/0 of no
      known writer, is 2.0; 2/1 is 2.1, 2/2 is 2.2, 2/3 is 2.3, which still changes.
    seq:
      - id: major
        type: u2
      - id: minor
        type: u2
      - id: magic
        contents: LANC
    instances:
      early:
        value: 'minor < 3 ? "0.1" : minor == 3 ? "2.0" : ""'
        doc: The version by the minor of files whose major is 0.
      format:
        value: 'major == 0 ? early : major == 2 and minor < 4 ? "2." + minor.to_s : ""'
        doc: The version in its usual form, such as 2.1; empty if it is unknown.
  legacy_tail:
    doc: The last 16 bytes of a file of version 0.1, and of a manifest.
    seq:
      - id: ofs_message
        type: s8
        valid: {min: 0}
        doc: Where `framed_message` begins, a `Metadata` in files, a `Manifest` in manifests.
      - id: version
        type: version
  legacy_page:
    doc: |
      Where the page of a field in a batch is, in a file of version 0.1. The page table has one for
      each batch, for each id from the least to the largest of the file's fields in turn.
    seq:
      - id: ofs_page
        type: s8
        valid: {min: 0}
      - id: num_values
        type: s8
        valid: {min: 0}
        doc: Values of the page; of a list one more, its offsets.
  framed_message:
    doc: A message of protobuf after its length.
    seq:
      - id: len_message
        type: u4
      - id: message
        size: len_message
  footer:
    doc: The last 40 bytes of a file of 2.x.
    seq:
      - id: ofs_columns
        type: u8
        doc: Where the first column's `ColumnMetadata` begins.
      - id: ofs_column_extents
        type: u8
        doc: Where the `extent` of each column begins.
      - id: ofs_buffer_extents
        type: u8
        doc: Where the `extent` of each global buffer begins.
      - id: num_buffers
        type: u4
        valid: {min: 1}
        doc: Global buffers.
      - id: num_columns
        type: u4
        doc: Columns, in 2.0 one for each field, from 2.1 on one for each leaf.
      - id: version
        type: version
  early_footer:
    doc: |
      The last 48 bytes of a file by release 0.10.18, which has the version of 2.0.
      It is recognised by its buffer extents, which end where it begins.
    seq:
      - id: ofs_columns
        type: u8
      - id: ofs_column_extents
        type: u8
      - id: ofs_descriptor
        type: u8
        doc: Where global buffer 0 begins.
      - id: ofs_buffer_extents
        type: u8
      - id: num_buffers
        type: u4
        valid: {min: 1}
      - id: num_columns
        type: u4
      - id: version
        type: version
  extent:
    doc: Where a message or a buffer is.
    seq:
      - id: offset
        type: u8
      - id: size
        type: u8
  extents:
    doc: Where each of several messages or buffers is.
    params:
      - id: count
        type: u4
    seq:
      - id: items
        type: extent
        repeat: expr
        repeat-expr: count
