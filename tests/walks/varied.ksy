meta: {id: varied, endian: be}
doc: Integers of variable length, and fields whose names a loop has for variables of its own.
seq:
  - {id: events, type: event(true), repeat: eos}
types:
  event:
    -loom-scan: walk
    params:
      - {id: end, type: bool}
    seq:
      - {id: len_name, type: varint, -loom-varint: uleb128}
      - {id: name, size: len_name.value}
      - {id: change, type: varint, -loom-varint: zigzag, -loom-order: 1}
      - {id: tag, type: varint, -loom-varint: protobuf}
      - {id: level, type: varint, -loom-varint: hadoop, -loom-default: 7, if: tag.value == 1}
      - {id: step, type: varint, -loom-varint: uleb128, if: end}
      - {id: byte, type: u1, valid: {max: 100}}
      - {id: out_name, type: u2}
      - {id: room_ends, type: u1}
      - {id: offsets_ends, type: u1}
      - {id: ends, type: u1, repeat: expr, repeat-expr: room_ends & 1}
      - {id: to_byte, size: offsets_ends & 1}
      - {id: uleb128_at, type: u1, valid: {min: byte}}
  varint:
    seq:
      - {id: groups, type: u1, repeat: until, repeat-until: _ < 128}
    instances:
      value: {value: groups.last, doc: What other compilers take for the integer is of no account.}
