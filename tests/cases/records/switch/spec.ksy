meta:
  id: switch
  endian:
    switch-on: order
    cases:
      0x49: le
      _: be
doc: One of several types by a tag, in a byte order that the file decides; names that Python keeps.
seq:
  - id: order
    type: u1
  - id: chunks
    type: chunk(order)
    repeat: eos
types:
  chunk:
    params:
      - id: order
        type: u1
    seq:
      - id: tag
        type: u1
      - id: len
        type: u2
      - id: class
        size: len
        type:
          switch-on: tag
          cases:
            1: text
            2: chunk(order)
      - id: self
        type:
          switch-on: tag
          cases:
            3: u4
            4: f4
  text:
    seq:
      - id: bytes
        type: str
        encoding: ASCII
        size-eos: true
    to-string: bytes
