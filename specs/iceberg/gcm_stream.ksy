meta:
  id: gcm_stream
  title: Files encrypted as Iceberg's AES-GCM stream
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
doc: |
  A metadata file, a manifest or an Avro file that is encrypted as a whole, in blocks that
  each have a nonce and a tag of their own:

      magic | len_block | block | block | ...

  Only what shows that a file is encrypted is read here, and not the blocks.
doc-ref: https://iceberg.apache.org/gcm-stream-spec/#file-structure
seq:
  - id: magic
    contents: AGS1
  - id: len_block
    -orig-id: BlockLength
    type: u4
    doc: Bytes of each block before it was encrypted; the last one may have fewer.
  - id: blocks
    size-eos: true
    doc: For each block a nonce of 12 bytes, the encrypted bytes, and a tag of 16 bytes.
