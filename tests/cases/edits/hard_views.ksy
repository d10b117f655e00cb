# data: 0202616202787903636465017a0201060706 | 0101610001010105 | 020161017902626202787903010409060106
meta:
  id: hard_views
  endian: le
seq:
  - {id: num_files, type: u1}
  - {id: files, type: file, repeat: expr, repeat-expr: num_files}
  - {id: num_entries, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num_entries}
types:
  file:
    seq:
      - {id: len_name, type: u1}
      - {id: name, size: len_name}
      - {id: num_tags, type: u1}
      - {id: tags, type: tag, repeat: expr, repeat-expr: num_tags}
  tag: {seq: [{id: letter, size: 1}]}
  entry:
    seq: [{id: ofs, type: u1}, {id: len, type: u1}]
    instances:
      header: {io: _root._io, pos: ofs, type: file}
      whole: {io: _root._io, pos: ofs, size: len}
