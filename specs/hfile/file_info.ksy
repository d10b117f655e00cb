meta:
  id: file_info
  title: The file info block of an HFile
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
  imports:
    - delimited
doc: |
  Facts about the file from its writer, as pairs of bytes: a name, and a value whose
  numbers are big-endian and signed (info_entries.yaml). Some decide how cells are
  read: hfile.MAX_TAGS_LEN (cells have tags), KEY_VALUE_VERSION 1 (cells end in a
  sequence number), MAX_MEMSTORE_TS_KEY (the largest of these; where it is 0 each is
  the one byte 0), DATA_BLOCK_ENCODING, hfile.TAGS_COMPRESSED.
doc-ref: https://hudi.apache.org/docs/hfile_format#file-info-block
seq:
  - id: magic
    contents: PBUF
  - id: body
    -orig-id: InfoProto
    type: delimited
types:
  time_range:
    doc: |
      The value of the entry TIMERANGE: between which times the cells are. HBase passes over the
      file where a reader asks for others. Since HBase 2 it may be a message after the bytes PBUF
      (messages.proto).
    seq:
      - id: first
        type: s8
        doc: The earliest timestamp; 0 where a cell deletes a column or a family up to its time.
      - id: last
        type: s8
        doc: The latest timestamp.
