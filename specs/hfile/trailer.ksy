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
  two zeros, and the major. No checksum protects a trailer.

  A file is read in these steps:

  - The last byte is the major version; the two before it are zeros. The trailer is the last 4,096 bytes of a file of version 3,
    the last 212 of version 2. Its message is a TrailerProto (messages.proto), whose offsets count
    from the start of the file.
  - At file_info_offset is a block (block.ksy). Its payload, the bytes between its header and its
    checksums, is a file_info (file_info.ksy); the message of that is an InfoProto, pairs of a name
    and a value. info_entries.yaml lists the names.
  - At load_on_open_data_offset blocks follow one another: the root of the data index (index.ksy)
    with data_index_count entries, the root of the meta index (index.ksy) with meta_index_count
    entries, the file info, and the heads of Bloom filters (bloom.ksy).
  - If num_data_index_levels is 1, the entries of the data index point at the data blocks, in the
    order of keys; if it is 2, at leaf_index blocks, whose entries do; if it is more, at
    intermediate_index blocks.
  - The entries of the meta index point at blocks of the type meta, by name. There may be none.
  - Without an index: blocks follow one another from first_data_block_offset to the one at
    last_data_block_offset. The next one begins 33 + len_on_disk bytes after the start of a block.
    Those with cells have the type data, or encoded_data; others among them can be skipped.
  - Payloads of blocks are compressed with compression_codec, those of the root index and of the file
    info as well. With NONE the payload is as it is stored.
  - The payload of a block of type data is cells up to its end (cell.ksy, which says where the
    parameters of a cell come from).
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
