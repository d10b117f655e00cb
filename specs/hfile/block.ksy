meta:
  id: block
  title: The frame around each block of an HFile
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
doc: |
  An HFile is a run of blocks and a trailer. Whatever a block holds, it begins
  with these 33 bytes and ends with the checksums of what is before them:

      header | payload             | checksums
      `- len_data bytes in all -'
               `- len_on_disk bytes in all ---'

  The payload is compressed as the trailer says, whatever the type of the block. Readers begin at
  the trailer; trailer.ksy has the steps.

  Dialects: Hudi before 1.1 writes no checksums, and checksum type 0. Others write
  as many zeros in their place for type 0.
doc-ref: https://hudi.apache.org/docs/hfile_format#block
seq:
  - id: magic
    type: u8
    enum: block_type
    valid:
      in-enum: true
    doc: Eight letters of ASCII, which say what kind of block it is.
  - id: len_on_disk
    -orig-id: onDiskSizeWithoutHeader
    type: s4
    valid:
      min: 0
    doc: Bytes of payload and checksums. The next block begins after them.
  - id: len_uncompressed
    -orig-id: uncompressedSizeWithoutHeader
    type: s4
    valid:
      min: 0
    doc: Bytes of the payload decompressed; an encoded block is then still encoded.
  - id: ofs_previous
    -orig-id: prevBlockOffset
    type: s8
    doc: |
      Start of the previous block of this type, -1 in the first. Hudi up to 1.2
      writes the block's own start from the second on.
  - id: checksum_type
    type: u1
    enum: checksum_type
    valid:
      in-enum: true
  - id: bytes_per_checksum
    type: s4
    valid:
      min: 1
    doc: |
      Bytes that share a checksum, counted from the first byte of the header. The last checksum is
      that of the bytes that are left, which may be fewer.
  - id: len_data
    -orig-id: onDiskDataSizeWithHeader
    type: s4
    valid:
      min: 33
    doc: Bytes of header and payload. Only this field says where the payload ends.
instances:
  num_checksums:
    value: (len_data + bytes_per_checksum - 1) / bytes_per_checksum
    doc: Words of four bytes each.
    -loom-column: true
types:
  checksum_word:
    doc: The sum of as many bytes as share one.
    seq:
      - id: value
        type: u4
  frame:
    doc: A block, and the bytes up to the next one.
    -loom-scan: walk
    seq:
      - id: header
        type: block
      - id: rest
        size: header.len_on_disk
        -loom-column: false
        doc: Payload and checksums.
enums:
  block_type:
    0x44415441424c4b2a:  # DATABLK*
      id: data
      doc: Cells.
    0x44415441424c4b45:  # DATABLKE
      id: encoded_data
      doc: Cells in an encoding, see encoded.ksy.
    0x4944584c45414632:  # IDXLEAF2
      id: leaf_index
    0x424c4d46424c4b32:  # BLMFBLK2
      id: bloom_chunk
      doc: Bits of a Bloom filter.
    0x4d455441424c4b63:  # METABLKc
      id: meta
    0x494458494e544532:  # IDXINTE2
      id: intermediate_index
    0x494458524f4f5432:  # IDXROOT2
      id: root_index
    0x46494c45494e4632:  # FILEINF2
      id: file_info
    0x424c4d464d455432:  # BLMFMET2
      id: bloom_meta
      doc: Metadata of the general Bloom filter.
    0x4446424c4d455432:  # DFBLMET2
      id: delete_family_bloom_meta
      doc: Metadata of the delete-family Bloom filter.
  checksum_type:
    0:
      id: 'null'
      doc: No checksums; zeros are in their place, except in files of Hudi before 1.1.
    1:
      id: crc32
      doc: The CRC of gzip and PNG, polynomial 0x04c11db7.
    2:
      id: crc32c
      doc: Castagnoli's CRC, polynomial 0x1edc6f41.
