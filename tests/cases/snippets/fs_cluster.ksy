# data: 0204100000010203ff02000000000000666f6f20202020206261722020202020
meta: {id: fs_cluster, endian: le, bit-endian: be}
seq:
  - {id: len_sector, type: u1}
  - {id: num_fat, type: u1}
  - {id: root_entries, type: u2}
instances:
  fat:
    pos: 4
    size: num_fat
    type: fat
  chain:
    pos: 8
    type: chain_link(_index)
    repeat: until
    repeat-until: _.next == 0xff or _.next == 0
  root:
    pos: 16
    type: dirent
    repeat: expr
    repeat-expr: '(_io.size - 16) / 8'
  last_root: {value: 'root.last.name'}
  rev: {value: 'root[0].name.reverse'}
  neg_mod: {value: '-7 % 3'}
  neg_div: {value: '-7 / 2'}
  neg_mod2: {value: '7 % 3 - 10 % 4'}
  align: {value: '(16 - len_sector) % 16'}
  aligned:
    pos: 'align - align % 4 + 4'
    type: u1
types:
  fat:
    seq: [{id: entries, type: u1, repeat: eos}]
    instances:
      biggest: {value: entries.max}
      smallest: {value: entries.min}
      n: {value: entries.size}
  chain_link:
    params: [{id: idx, type: s4}]
    seq: [{id: next, type: u1}]
    instances:
      target:
        io: _root._io
        pos: 4 + idx
        type: u1
      same: {value: 'target == _parent.fat.entries[idx % 4]', if: 'idx < 4'}
  dirent:
    seq:
      - {id: name, type: str, size: 3, encoding: IBM437}
      - {id: ext, type: str, size: 5, pad-right: 0x20, encoding: ASCII}
    instances:
      full: {value: 'ext == "" ? name : name + "." + ext'}
