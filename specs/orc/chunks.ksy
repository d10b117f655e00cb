meta:
  id: chunks
  title: Compressed streams of an ORC file
  license: Apache-2.0
  ks-version: '0.10'
  endian: le
  bit-endian: le
doc: |
  Where the postscript names a codec, footers and streams are chunks, each with at most
  as many bytes as the postscript's block size once it is decompressed:

      header | data | header | data | ...
doc-ref: https://orc.apache.org/specification/ORCv1/#compression
seq:
  - id: chunks
    type: chunk
    repeat: eos
types:
  chunk:
    doc: The output of one call of the codec, or bytes that are stored uncompressed.
    seq:
      - id: is_original
        -orig-id: isOriginal
        type: b1
        doc: Whether the data is not compressed, since that would not have made it smaller.
      - id: len_data
        -orig-id: compressedLength
        type: b23
      - id: data
        size: len_data
