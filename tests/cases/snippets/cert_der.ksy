# data: 30090201050403616263050030030201ff|a0820001aa
meta: {id: cert_der, endian: be}
seq: [{id: body, type: node, repeat: eos}]
types:
  node:
    seq:
      - {id: cls, type: b2, enum: cls}
      - {id: constructed, type: b1}
      - {id: tag, type: b5, enum: tag}
      - {id: len, type: len_enc}
      - id: body
        size: len.result
        type:
          switch-on: 'constructed ? 1 : tag.to_i'
          cases:
            1: nodes
            2: integer
            _: raw_node
    enums:
      cls: {0: universal, 2: context}
      tag: {2: integer, 4: octets, 5: 'null', 0x10: sequence}
  raw_node: {seq: [{id: data, size-eos: true}]}
  nodes: {seq: [{id: entries, type: node, repeat: eos}]}
  integer:
    seq: [{id: bytes, type: u1, repeat: eos}]
    instances:
      neg: {value: '(bytes[0] & 0x80) != 0'}
      val: {value: 'neg ? bytes[0] - 0x100 : bytes[0]'}
  len_enc:
    seq:
      - {id: b1, type: u1}
      - {id: int2, type: u2be, if: b1 == 0x82}
      - {id: int1, type: u1, if: b1 == 0x81}
    instances:
      result: {value: '(b1 == 0x81) ? int1 : ((b1 == 0x82) ? int2 : b1)'}
