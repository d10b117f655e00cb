meta: {id: midi, license: Apache-2.0, endian: be}
doc: Tracks of events, each a while after the one before it.
seq:
  - id: header
    type: header
  - id: tracks
    type: track
    repeat: expr
    repeat-expr: header.num_tracks
types:
  header:
    seq:
      - id: magic
        contents: MThd
      - id: len_header
        type: u4
      - id: format
        type: u2
      - id: num_tracks
        type: u2
      - id: division
        type: s2
  track:
    seq:
      - id: magic
        contents: MTrk
      - id: len_events
        type: u4
      - id: events
        type: events
        size: len_events
  events:
    seq:
      - id: events
        type: event
        repeat: eos
  event:
    seq:
      - id: time
        type: varint
      - id: head
        type: u1
      - id: meta
        type: meta
        if: head == 0xff
      - id: sysex
        type: sysex
        if: head == 0xf0
      - id: body
        type:
          switch-on: kind
          cases:
            0x80: note
            0x90: note
            0xa0: note
            0xb0: controller
            0xc0: program
            0xd0: program
            0xe0: bend
    instances:
      kind:
        value: head & 0xf0
      channel:
        value: head & 0xf
        if: kind != 0xf0
  varint:
    seq:
      - id: groups
        type: group
        repeat: until
        repeat-until: not _.has_next
    instances:
      last:
        value: groups.size - 1
      value:
        value: |
          groups[last].value
          + (last >= 1 ? groups[last - 1].value << 7 : 0)
          + (last >= 2 ? groups[last - 2].value << 14 : 0)
          + (last >= 3 ? groups[last - 3].value << 21 : 0)
  group:
    seq:
      - id: has_next
        type: b1
      - id: value
        type: b7
  note:
    seq:
      - id: note
        type: u1
      - id: velocity
        type: u1
  controller:
    seq:
      - id: controller
        type: u1
      - id: value
        type: u1
  program:
    seq:
      - id: program
        type: u1
  bend:
    seq:
      - id: low
        type: b8
      - id: high
        type: b8
    instances:
      value:
        value: (high << 7 | low) - 0x2000
  sysex:
    seq:
      - id: len
        type: varint
      - id: data
        size: len.value
  meta:
    seq:
      - id: type
        type: u1
        enum: types
      - id: len
        type: varint
      - id: body
        size: len.value
        type:
          switch-on: type
          cases:
            types::track_name: text
            types::tempo: tempo
  text:
    seq:
      - id: text
        type: str
        size-eos: true
        encoding: ASCII
  tempo:
    seq:
      - id: micros
        type: b24
enums:
  types:
    0x03: track_name
    0x2f: end
    0x51: tempo
