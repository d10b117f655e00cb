# data: 0102aabb0203010203000303ffffff7f|0104000000010500
meta: {id: net_tlv, endian: be}
seq:
  - id: tlvs
    type: tlv
    repeat: until
    repeat-until: _io.eof or _.tag == tag::end
enums:
  tag: {0: end, 1: ipv4, 2: mac, 3: seq, 0x7f: 'null'}
types:
  tlv:
    seq:
      - {id: tag, type: u1, enum: tag}
      - {id: len, type: u1, if: tag != tag::end and tag != tag::null}
      - id: value
        size: len
        if: tag != tag::end and tag != tag::null
        type:
          switch-on: tag
          cases:
            'tag::ipv4': ipv4
            'tag::mac': mac(len)
            'tag::seq': inner_tlv
    instances:
      as_ip: {value: 'value.as<ipv4>', if: tag == tag::ipv4}
      ip0: {value: 'as_ip.b[0]'}
      raw: {value: 'value.as<bytes>', if: tag == tag::end}
  ipv4:
    seq: [{id: b, type: u1, repeat: expr, repeat-expr: 2}]
    instances:
      text: {value: 'b[0].to_s + "." + b[1].to_s'}
  mac:
    params: [{id: n, type: u1}]
    seq: [{id: b, size: 1, repeat: expr, repeat-expr: n}]
    instances: {same: {value: 'b[0] == b[1]'}, lt: {value: 'b[0] < b[1]'}}
  inner_tlv:
    seq: [{id: rest, size-eos: true}]
