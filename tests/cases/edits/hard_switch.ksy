# data: 000202010242624262420001026200630100630043640000 | 0b014417000b14016200414264004462410262426342414262004301030063640302002502020001 | 300441024161000e4402640263006441006243010244004400426444414201636463446161000141410261420064416144000044634442014341414244004342
meta:
  id: hard_switch
  endian: le
seq:
  - {id: recs, type: rec, repeat: until, repeat-until: _.tag == 0 or _io.eof}
types:
  rec:
    seq:
      - {id: tag, type: u1}
      - {id: len, type: u1}
      - id: body
        size: len
        type: {switch-on: tag, cases: {1: one, 2: two, 3: lst}}
  one: {seq: [{id: a, type: u1}, {id: rest, size-eos: true}]}
  two: {seq: [{id: s, type: strz, encoding: ASCII}, {id: t, type: strz, encoding: ASCII, eos-error: false}]}
  lst: {seq: [{id: es, type: u2be, repeat: eos}]}
