meta:
  id: sqlite
  title: SQLite database
  file-extension:
    - sqlite
    - db
  license: Apache-2.0
  endian: be
doc: |
  Pages of one size. The first begins with a header for the whole file; tables
  and indexes are trees of pages, whose cells are found by a list of places.
doc-ref: https://sqlite.org/fileformat2.html
seq:
  - id: header
    type: header
instances:
  pages:
    type: page(_index + 1)
    size: header.len_page
    pos: 0
    repeat: until
    repeat-until: _io.eof
types:
  header:
    seq:
      - id: magic
        contents: ["SQLite format 3", 0]
      - id: len_page_mod
        type: u2
        -orig-id: page size
        doc: 1 stands for 65536.
      - id: write_version
        type: u1
        enum: versions
      - id: read_version
        type: u1
        enum: versions
      - id: len_reserved
        type: u1
      - id: fractions
        contents: [64, 0x20, 0b0010_0000]
      - id: num_changes
        type: u4
      - id: num_pages
        type: u4
      - id: first_free
        type: u4
      - id: num_free
        type: u4
      - id: schema_cookie
        type: u4
      - id: schema_format
        type: u4
        valid:
          any-of: [0, 1, 2, 3, 4]
      - id: cache_size
        type: u4
      - id: largest_root
        type: u4
      - id: encoding
        type: u4
        enum: encodings
      - id: user_version
        type: u4
      - id: is_incremental
        type: u4
      - id: application
        type: u4
      - id: reserved
        size: 20
      - id: valid_for
        type: u4
      - id: written_by
        type: u4
    instances:
      len_page:
        value: 'len_page_mod == 1 ? 0x1_0000 : len_page_mod'
  page:
    params:
      - id: number
        type: u4
    seq:
      - id: file_header
        size: 100
        if: number == 1
      - id: kind
        type: u1
        enum: kinds
      - id: tree
        type: tree
        if: is_tree
    instances:
      is_tree:
        value: kind == kinds::table_leaf or kind == kinds::table_interior or kind == kinds::index_leaf or kind == kinds::index_interior
      is_leaf:
        value: kind == kinds::table_leaf or kind == kinds::index_leaf
  tree:
    seq:
      - id: first_free_block
        type: u2
      - id: num_cells
        type: u2
      - id: ofs_content
        type: u2
      - id: num_fragmented
        type: u1
      - id: right_most
        type: u4
        if: not _parent.is_leaf
      - id: cells
        type: cell_pointer
        repeat: expr
        repeat-expr: num_cells
        if: num_cells > 0
  cell_pointer:
    seq:
      - id: ofs
        type: u2
    instances:
      cell:
        pos: ofs
        type:
          switch-on: _parent._parent.kind
          cases:
            kinds::table_leaf: table_leaf_cell
            kinds::table_interior: table_interior_cell
            kinds::index_leaf: index_cell(false)
            kinds::index_interior: index_cell(true)
  table_leaf_cell:
    seq:
      - id: len_payload
        type: varint
      - id: row_id
        type: varint
      - id: payload
        size: len_payload.value
        type: record
        if: len_payload.value <= _root.header.len_page - 35
  table_interior_cell:
    seq:
      - id: left
        type: u4
      - id: row_id
        type: varint
  index_cell:
    params:
      - id: has_left
        type: bool
    seq:
      - id: left
        type: u4
        if: has_left
      - id: len_payload
        type: varint
      - id: payload
        size: len_payload.value
        type: record
  record:
    seq:
      - id: len_header
        type: varint
      - id: types
        size: len_header.value - len_header.groups.size
        type: types
      - id: values
        type: value(types.types[_index].value)
        repeat: expr
        repeat-expr: types.types.size
    types:
      types:
        seq:
          - id: types
            type: varint
            repeat: eos
      value:
        params:
          - id: type
            type: u8
        seq:
          - id: value
            type:
              switch-on: type
              cases:
                1: s1
                2: s2
                3: b24
                4: s4
                5: b48
                6: s8
                7: f8
                8: nothing(0)
                9: nothing(1)
            if: type < 12 and type != 0
          - id: text
            size: (type - 13) / 2
            type: str
            encoding: UTF-8
            if: type >= 13 and type % 2 == 1
          - id: blob
            size: (type - 12) / 2
            if: type >= 12 and type % 2 == 0
        instances:
          is_null:
            value: type == 0
      nothing:
        params:
          - id: value
            type: u1
  varint:
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
          - id: bits
            type: b7
    instances:
      last:
        value: groups.size - 1
      value:
        value: |
          groups[last].bits
          | (last > 0 ? groups[last - 1].bits << 7 : 0)
          | (last > 1 ? groups[last - 2].bits << 14 : 0)
enums:
  versions:
    1: legacy
    2: wal
  encodings:
    1: utf_8
    2: utf_16le
    3: utf_16be
  kinds:
    2: index_interior
    5: table_interior
    10: index_leaf
    13: table_leaf
