meta:
  id: hudi_log
  title: The framing of Hudi's log files
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
doc: |
  A log file is blocks one after another, each written in one go. A writer that
  dies leaves a torn block; the next one appends after it, so a reader that finds a
  block damaged continues at the next magic.

      magic | len_block | version | type | headers | content | footers | len_total
                        `- len_block bytes ------------------------------------'

  In a metadata table the content of a block of type hfile is a whole HFile, whose
  offsets count from its own first byte.
doc-ref: https://hudi.apache.org/docs/1.0.2/storage_layouts
seq:
  - id: blocks
    type: log_block
    repeat: eos
types:
  log_block:
    doc: A block in the frame that says where it begins and ends.
    seq:
      - id: magic
        contents: '#HUDI#'
      - id: len_block
        type: s8
        valid:
          min: 32
        doc: Bytes from the version to the end of the block.
      - id: body
        size: len_block - 8
        type: log_body
      - id: len_total
        type: s8
        valid: len_block + 6
        doc: Bytes from the magic up to here, for readers that begin at the end.
  log_body:
    doc: A block without its frame.
    seq:
      - id: version
        type: s4
        valid: 1
        doc: Version 0 had neither headers nor footers; no release since 2018 writes it.
      - id: type
        type: s4
        enum: block_type
        valid:
          in-enum: true
      - id: headers
        type: metadata
      - id: len_content
        type: s8
        valid:
          min: 0
      - id: content
        size: len_content
      - id: footers
        type: metadata
        doc: Always empty so far.
  metadata:
    doc: The headers or the footers of a block.
    seq:
      - id: num_entries
        type: s4
        valid:
          min: 0
      - id: entries
        type: metadata_entry
        repeat: expr
        repeat-expr: num_entries
  metadata_entry:
    doc: A header or a footer of a block.
    seq:
      - id: key
        type: s4
        enum: header_key
      - id: len_value
        type: s4
        valid:
          min: 0
      - id: value
        size: len_value
        doc: Text in UTF-8, whatever the key.
  avro_data:
    doc: The content of a block of type avro_data. Their schema is a header of the block.
    -loom-scan: walk
    seq:
      - id: version
        type: s4
        -loom-column: false
      - id: num_records
        type: s4
        valid:
          min: 0
      - id: records
        type: avro_record
        repeat: expr
        repeat-expr: num_records
  avro_record:
    doc: A record in Avro's binary form, after its length.
    seq:
      - id: len_content
        type: s4
        valid:
          min: 0
      - id: content
        size: len_content
  deletes:
    doc: |
      The content of a block of type delete. Versions 1 and 2 hold serialised Java
      objects in place of Avro.
    seq:
      - id: version
        type: s4
        enum: deletes_version
        valid:
          in-enum: true
      - id: len_list
        type: s4
        valid:
          min: 0
      - id: list
        size: len_list
        doc: A HoodieDeleteRecordList in Avro's binary form.
enums:
  block_type:
    0: command
    1: delete
    2: corrupt
    3: avro_data
    4: hfile_data
    5: parquet_data
    6: cdc_data
  deletes_version:
    1: java_objects
    2: java_objects_with_ordering
    3: avro
  header_key:
    0: instant_time
    1: target_instant_time
    2: schema
    3: command_block_type
    4: compacted_block_times
    5: record_positions
    6: block_identifier
    7: is_partial
    8: base_file_instant_time_of_record_positions
