meta:
  id: pcap
  title: Captured packets
  file-extension: pcap
  license: Apache-2.0
  ks-version: 0.9
  imports:
    - internet
doc: |
  A header whose first four bytes say in which byte order the machine that
  captured wrote it, and packets.
doc-ref: https://ietf-opsawg-wg.github.io/draft-ietf-opsawg-pcap/draft-ietf-opsawg-pcap.html
seq:
  - id: magic
    type: u4be
    enum: magics
    valid:
      in-enum: true
  - id: capture
    type: capture
types:
  capture:
    meta:
      endian:
        switch-on: _root.magic
        cases:
          magics::micros_be: be
          magics::nanos_be: be
          _: le
    seq:
      - id: version
        type: version
      - id: time_zone
        type: s4
      - id: accuracy
        type: u4
      - id: len_most
        type: u4
        -orig-id: SnapLen
      - id: link
        type: u4
        enum: links
      - id: packets
        type: packet
        repeat: eos
    types:
      version:
        seq:
          - id: major
            type: u2
            valid: 2
          - id: minor
            type: u2
      packet:
        seq:
          - id: seconds
            type: u4
          - id: fraction
            type: u4
          - id: len_captured
            type: u4
          - id: len_sent
            type: u4
          - id: body
            size: len_captured
            type:
              switch-on: _parent.link
              cases:
                links::ethernet: internet
                links::none: no_link
        instances:
          nanos:
            value: '_root.is_nanos ? fraction : fraction * 1000'
          is_cut:
            value: len_captured < len_sent
      no_link:
        seq:
          - id: family
            type: u4
            enum: families
          - id: rest
            size-eos: true
        enums:
          families:
            2: ip
instances:
  is_nanos:
    value: magic == magics::nanos_be or magic == magics::nanos_le
enums:
  magics:
    0xa1b2_c3d4: micros_be
    0xd4c3_b2a1: micros_le
    0xa1b2_3c4d: nanos_be
    0x4d3c_b2a1: nanos_le
  links:
    0: none
    1: ethernet
    101: raw
