meta:
  id: varints
  title: Integers of variable length, as HFiles store them
  license: Apache-2.0
  ks-version: '0.10'
  endian: be
doc: |
  HFiles know two integers of variable length. From 0 to 127 both are one byte,
  and the same one; beyond that they have nothing in common. Hadoop's is in
  root indexes, Bloom metadata and after every cell; that of protobuf is in
  the trailer and the file info, and inside encoded data blocks.
seq:
  - id: hadoop
    type: hadoop_vlong
  - id: protobuf
    type: protobuf_varint
types:
  hadoop_vlong:
    doc: |
      An integer from -2^63 to 2^63 - 1 in one to nine bytes.

      A first byte of -112 or more is the integer itself. Below, it says how
      many bytes follow, highest first: -113 to -120 one to eight bytes of a
      positive integer, -121 to -128 those of the complement of a negative one.
    doc-ref: https://hadoop.apache.org/docs/r3.4.2/api/org/apache/hadoop/io/WritableUtils.html
    seq:
      - id: first
        type: s1
      - id: rest
        type: u1
        repeat: expr
        repeat-expr: 'first >= -112 ? 0 : (first >= -120 ? -112 - first : -120 - first)'
    instances:
      n:
        value: rest.size
      magnitude:
        value: |
          (n >= 1 ? rest[n - 1] : 0)
          + (n >= 2 ? rest[n - 2] << 8 : 0)
          + (n >= 3 ? rest[n - 3] << 16 : 0)
          + (n >= 4 ? rest[n - 4] << 24 : 0)
          + (n >= 5 ? rest[n - 5] << 32 : 0)
          + (n >= 6 ? rest[n - 6] << 40 : 0)
          + (n >= 7 ? rest[n - 7] << 48 : 0)
          + (n >= 8 ? rest[n - 8] << 56 : 0)
      value:
        value: 'first >= -112 ? first : (first >= -120 ? magnitude : -1 - magnitude)'
  protobuf_varint:
    doc: |
      An unsigned integer below 2^64 in one to ten bytes, seven bits in each,
      lowest first; the eighth bit says that another byte follows. The tenth
      byte is the last, whatever its eighth bit says, and of its other bits
      only the lowest is a part of the number, bit 63. Within a message a tenth
      byte other than 0 and 1 is damage.
    doc-ref: https://protobuf.dev/programming-guides/encoding/#varints
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: _ < 128 or _index == 9
    instances:
      n:
        value: groups.size
      value:
        value: |
          (groups[0] & 127)
          + (n >= 2 ? (groups[1] & 127) << 7 : 0)
          + (n >= 3 ? (groups[2] & 127) << 14 : 0)
          + (n >= 4 ? (groups[3] & 127) << 21 : 0)
          + (n >= 5 ? (groups[4] & 127) << 28 : 0)
          + (n >= 6 ? (groups[5] & 127) << 35 : 0)
          + (n >= 7 ? (groups[6] & 127) << 42 : 0)
          + (n >= 8 ? (groups[7] & 127) << 49 : 0)
          + (n >= 9 ? (groups[8] & 127) << 56 : 0)
          + (n >= 10 ? (groups[9] & 1) << 63 : 0)
