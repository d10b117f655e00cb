meta:
  id: puffin
  title: Puffin, statistics and indexes of Iceberg tables
  file-extension:
    - puffin
    - stats
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
  bit-endian: le
doc: |
  A Puffin file is a run of opaque blobs and, after them, a footer saying what
  each blob is. Only the last twelve bytes are at a known place, so a reader
  starts there and works backwards:

      PFA1 | blob 1 | ... | blob n | PFA1 | payload | footer_tail
                                          `- len_payload bytes -'
doc-ref: https://iceberg.apache.org/puffin-spec/#file-structure
-loom-tail: 65536
seq:
  - id: magic
    contents: PFA1
  - id: blobs
    size: ofs_footer - 4
    doc: |
      Only the footer says where one blob ends and the next begins. There
      may be bytes that belong to no blob.
  - id: footer
    type: footer
    size-eos: true
instances:
  tail:
    pos: _io.size - 12
    type: footer_tail
  ofs_footer:
    value: _io.size - tail.len_payload - 16
types:
  footer:
    doc: |
      What the blobs are, in JSON, framed so that it is found from the end of
      the file. Its size in bytes is what Iceberg's table metadata calls
      file-footer-size-in-bytes.

      The payload is an object with the key `blobs`, a list, and `properties`, texts
      by name, which may be absent. Each blob is an object with these keys:

      - `type`: a text, such as `deletion-vector-v1` (deletion_vector.ksy) or
        `apache-datasketches-theta-v1` (theta_sketch.ksy)
      - `fields`: a list of integers, the ids of the columns that it is about
      - `snapshot-id` and `sequence-number`: integers of 64 bits, those of the
        snapshot that it was calculated from; -1 for deletion vectors
      - `offset`: where the blob begins, from the start of the file
      - `length`: its bytes, as stored
      - `compression-codec`: `lz4` (one LZ4 frame), `zstd` (one Zstandard frame), or
        absent for a blob that is not compressed
      - `properties`: texts by name, which may be absent
    doc-ref: https://iceberg.apache.org/puffin-spec/#footer-structure
    seq:
      - id: magic
        contents: PFA1
      - id: payload
        -orig-id: FooterPayload
        size: _io.size - 16
        doc: |
          One FileMetadata object in UTF-8 JSON, as stored: one LZ4 frame where
          payload_is_compressed says so.
      - id: len_payload
        -orig-id: FooterPayloadSize
        type: s4
        valid: payload.length
        -loom-derive: payload.length
      - id: payload_is_compressed
        type: b1
        -loom-default: false
      - id: reserved
        type: b31
        -loom-default: 0
      - id: magic_end
        contents: PFA1
  footer_tail:
    doc: The twelve bytes that end every Puffin file.
    doc-ref: https://iceberg.apache.org/puffin-spec/#footer-structure
    seq:
      - id: len_payload
        -orig-id: FooterPayloadSize
        type: s4
        valid:
          min: 0
        doc: |
          Bytes of footer payload as stored, that is after compression. Signed
          in the format, so a reader must refuse a negative length by itself.
      - id: payload_is_compressed
        type: b1
        doc: Set when the payload is one LZ4 frame; clear when it is plain JSON.
      - id: reserved
        type: b31
        -loom-default: 0
        doc: Kept as read, so that a newer writer's flags survive a rewrite.
      - id: magic
        contents: PFA1
