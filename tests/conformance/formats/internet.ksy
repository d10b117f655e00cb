meta:
  id: internet
  title: Ethernet frames with internet packets
  license: Apache-2.0
  endian: be
doc: |
  What most captures hold: a frame, in it a packet of IP, in that a datagram of
  UDP or a segment of TCP.
doc-ref: https://www.rfc-editor.org/rfc/rfc791
seq:
  - id: target
    type: mac
  - id: source
    type: mac
  - id: kind
    type: u2
    enum: kinds
  - id: tag
    type: tag
    if: kind == kinds::vlan
  - id: body
    size-eos: true
    type:
      switch-on: inner_kind
      cases:
        kinds::ipv4: ipv4
        kinds::ipv6: ipv6
instances:
  inner_kind:
    value: 'kind == kinds::vlan ? tag.kind : kind'
types:
  mac:
    seq:
      - id: octets
        size: 6
    instances:
      is_group:
        value: octets[0] & 1 == 1
  tag:
    seq:
      - id: priority
        type: b3
      - id: may_drop
        type: b1
      - id: vlan
        type: b12
        valid:
          max: 0xffe
      - id: kind
        type: u2
        enum: kinds
  ipv4:
    seq:
      - id: version
        type: b4
        valid: 4
      - id: num_words
        type: b4
        valid:
          min: 5
      - id: service
        type: b6
      - id: congestion
        type: b2
        enum: congestion
      - id: len_packet
        type: u2
      - id: id
        type: u2
      - id: reserved
        type: b1
      - id: stays_whole
        type: b1
      - id: has_more
        type: b1
      - id: ofs_fragment
        type: b13
      - id: time_to_live
        type: u1
      - id: protocol
        type: u1
        enum: protocols
      - id: checksum
        type: u2
      - id: source
        type: address
      - id: target
        type: address
      - id: options
        size: num_words * 4 - 20
      - id: body
        size: len_packet - num_words * 4
        type: transport(protocol)
    enums:
      congestion:
        0: none
        1: able_1
        2: able_0
        3: met
  ipv6:
    seq:
      - id: version
        type: b4
        valid: 6
      - id: traffic_class
        type: b8
      - id: flow
        type: b20
      - id: len_body
        type: u2
      - id: next
        type: u1
        enum: protocols
      - id: hops
        type: u1
      - id: source
        size: 16
      - id: target
        size: 16
      - id: body
        type: transport(next)
        size: len_body
  address:
    seq:
      - id: parts
        type: u1
        repeat: expr
        repeat-expr: 4
    instances:
      as_int:
        value: parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3]
      is_private:
        value: parts[0] == 10 or as_int & 0xffff_0000 == 0xc0a8_0000
    to-string: 'f"{parts[0]}.{parts[1]}.{parts[2]}.{parts[3]}"'
  transport:
    params:
      - id: protocol
        type: u1
        enum: protocols
    seq:
      - id: body
        size-eos: true
        type:
          switch-on: protocol
          cases:
            protocols::udp: udp
            protocols::tcp: tcp
  udp:
    seq:
      - id: source
        type: u2
      - id: target
        type: u2
      - id: len
        type: u2
        valid:
          min: 8
      - id: checksum
        type: u2
      - id: body
        size: len - 8
  tcp:
    seq:
      - id: source
        type: u2
      - id: target
        type: u2
      - id: sequence
        type: u4
      - id: acknowledgement
        type: u4
      - id: num_words
        type: b4
      - id: reserved
        type: b4
      - id: flags
        type: flags
      - id: window
        type: u2
      - id: checksum
        type: u2
      - id: urgent
        type: u2
      - id: options
        size: num_words * 4 - 20
        if: num_words > 5
      - id: body
        size-eos: true
    types:
      flags:
        seq:
          - id: cwr
            type: b1
          - id: ece
            type: b1
          - id: urg
            type: b1
          - id: ack
            type: b1
          - id: psh
            type: b1
          - id: rst
            type: b1
          - id: syn
            type: b1
          - id: fin
            type: b1
enums:
  kinds:
    0x0800: ipv4
    0x0806: arp
    0x8100: vlan
    0x86dd: ipv6
  protocols:
    1: icmp
    6: tcp
    17: udp
