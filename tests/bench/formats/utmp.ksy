meta: {id: utmp, license: Apache-2.0, endian: le}
doc: The sessions of a machine, 384 bytes each.
seq:
  - id: records
    type: session
    repeat: eos
types:
  session:
    seq:
      - id: type
        type: s4
        enum: kinds
      - id: pid
        type: s4
      - id: line
        type: str
        size: 32
        encoding: UTF-8
      - id: id
        type: str
        size: 4
        encoding: UTF-8
      - id: user
        type: str
        size: 32
        encoding: UTF-8
      - id: host
        type: str
        size: 256
        encoding: UTF-8
      - id: exit
        type: u4
      - id: session
        type: s4
      - id: time
        type: time
      - id: address
        size: 16
      - id: reserved
        size: 20
  time:
    seq:
      - id: seconds
        type: s4
      - id: micros
        type: s4
enums:
  kinds:
    0: empty
    1: run_level
    2: boot_time
    6: login_process
    7: user_process
    8: dead_process
