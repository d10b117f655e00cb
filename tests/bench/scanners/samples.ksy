meta:
  id: samples
  endian: le
doc: Records of sixteen bytes.
seq:
  - id: samples
    type: sample
    repeat: eos
types:
  sample:
    seq:
      - id: at
        type: u8
      - id: source
        type: u4
      - id: value
        type: u4
