meta:
  id: midi
  title: Standard MIDI file
  file-extension:
    - mid
    - midi
  license: Apache-2.0
  endian: be
doc: |
  A header and tracks of events. Times and lengths are numbers of seven bits a
  byte; an event may leave its status out where it is that of the one before.
doc-ref: https://midi.org/standard-midi-files-specification
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
      - id: len
        type: u4
        valid: 6
      - id: format
        type: u2
        enum: formats
      - id: num_tracks
        type: u2
      - id: division
        type: s2
    instances:
      ticks_per_quarter:
        value: division
        if: division > 0
      frames_per_second:
        value: -(division >> 8)
        if: division < 0
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
        type: 'event(_index > 0 ? events[_index - 1].status : 0)'
        repeat: eos
  event:
    params:
      - id: last_status
        type: u1
    seq:
      - id: delta
        type: vlq
      - id: own_status
        type: u1
        if: first_byte >= 0x80
      - id: meta
        type: meta_event
        if: status == 0xff
      - id: sysex
        type: sysex
        if: status == 0xf0 or status == 0xf7
      - id: body
        type:
          switch-on: status & 0xf0
          cases:
            0x80: note
            0x90: note
            0xa0: note
            0xb0: controller
            0xc0: u1
            0xd0: u1
            0xe0: bend
        if: status < 0xf0
    instances:
      first_byte:
        pos: _io.pos
        type: u1
        doc: The status, or where it is left out what follows it.
      status:
        value: 'first_byte >= 0x80 ? own_status : last_status'
      channel:
        value: status & 0xf
        if: status != 0xff
      kind:
        value: status >> 4
        enum: kinds
  vlq:
    seq:
      - id: groups
        type: group
        repeat: until
        repeat-until: not _.has_next
    types:
      group:
        seq:
          - id: has_next
            type: b1
          - id: value
            type: b7
    instances:
      last:
        value: groups.size - 1
      value:
        value: |
          groups[last].value
          + (last >= 1 ? groups[last - 1].value << 7 : 0)
          + (last >= 2 ? groups[last - 2].value << 14 : 0)
          + (last >= 3 ? groups[last - 3].value << 21 : 0)
  note:
    seq:
      - id: note
        type: u1
        valid:
          max: 127
      - id: velocity
        type: u1
    instances:
      octave:
        value: note / 12 - 1
  controller:
    seq:
      - id: controller
        type: u1
      - id: value
        type: u1
  bend:
    seq:
      - id: low
        type: u1
      - id: high
        type: u1
    instances:
      value:
        value: (high << 7 | low) - 0x2000
  sysex:
    seq:
      - id: len
        type: vlq
      - id: data
        size: len.value
  meta_event:
    seq:
      - id: type
        type: u1
        enum: meta_types
      - id: len
        type: vlq
      - id: body
        size: len.value
        type:
          switch-on: type
          cases:
            meta_types::tempo: tempo
            meta_types::time_signature: time_signature
            meta_types::text: text_body
            meta_types::track_name: text_body
  tempo:
    seq:
      - id: micros
        type: b24
    instances:
      beats_per_minute:
        value: 'micros == 0 ? 0.0 : 60000000.0 / micros'
  time_signature:
    seq:
      - id: numerator
        type: u1
      - id: power
        type: u1
        valid:
          max: 8
      - id: clocks
        type: u1
      - id: thirty_seconds
        type: u1
    instances:
      denominator:
        value: 1 << power
  text_body:
    seq:
      - id: text
        type: str
        size-eos: true
        encoding: ISO-8859-1
enums:
  formats:
    0: single
    1: simultaneous
    2: independent
  kinds:
    8: note_off
    9: note_on
    10: key_pressure
    11: control
    12: program
    13: pressure
    14: bend
    15: system
  meta_types:
    0x01: text
    0x03: track_name
    0x2f: end
    0x51: tempo
    0x58: time_signature
