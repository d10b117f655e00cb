meta:
  id: zip
  title: ZIP archive
  file-extension:
    - zip
    - jar
    - whl
  license: Apache-2.0
  endian: le
  bit-endian: le
doc: |
  Members one after another, then a directory that says where each of them
  stands, then the end of that directory, which is looked for from the back.
doc-ref: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
seq:
  - id: sections
    type: section
    repeat: eos
instances:
  first_entry:
    value: sections[end.num_entries].body.as<central_entry>
    if: end.num_entries > 0
  end:
    value: sections.last.body.as<end_of_central_dir>
types:
  section:
    seq:
      - id: magic
        contents: PK
      - id: type
        type: u2
        enum: section_types
      - id: body
        type:
          switch-on: type
          cases:
            section_types::local_file: local_file
            section_types::central_entry: central_entry
            section_types::end_of_central_dir: end_of_central_dir
  local_file:
    seq:
      - id: header
        type: local_header
      - id: body
        size: header.len_body
  local_header:
    seq:
      - id: version
        type: u2
      - id: flags
        type: flags
        size: 2
      - id: method
        type: u2
        enum: methods
      - id: time
        type: dos_datetime
        size: 4
      - id: crc
        type: u4
      - id: len_body
        type: u4
      - id: len_plain
        type: u4
      - id: len_name
        type: u2
      - id: len_extra
        type: u2
      - id: name
        type: str
        size: len_name
        encoding: UTF-8
      - id: extra
        type: extras
        size: len_extra
  flags:
    -webide-representation: "{reserved_1:dec}"
    seq:
      - id: is_encrypted
        type: b1
      - id: level
        type: b2
        enum: levels
      - id: has_descriptor
        type: b1
        valid: false
      - id: reserved_1
        type: b1
      - id: is_patch
        type: b1
      - id: is_strong
        type: b1
      - id: reserved_2
        type: b4
      - id: is_utf8
        type: b1
      - id: reserved_3
        type: b4
    instances:
      is_plain:
        value: not (is_encrypted or is_patch or is_strong)
    enums:
      levels:
        0: normal
        1: maximum
        2: fast
        3: super_fast
  dos_datetime:
    seq:
      - id: time
        type: time
      - id: date
        type: date
    types:
      time:
        seq:
          - id: half_second
            type: b5
          - id: minute
            type: b6
          - id: hour
            type: b5
        instances:
          second:
            value: half_second * 2
      date:
        seq:
          - id: day
            type: b5
          - id: month
            type: b4
          - id: since_1980
            type: b7
        instances:
          year:
            value: 1980 + since_1980
          padded_month:
            value: |
              (month <= 9 ? "0" : "") + month.to_s
  extras:
    seq:
      - id: entries
        type: extra
        repeat: eos
  extra:
    seq:
      - id: id
        type: u2
        enum: extra_ids
      - id: len_body
        type: u2
      - id: body
        size: len_body
        type:
          switch-on: id
          cases:
            extra_ids::extended_timestamp: extended_timestamp
            extra_ids::unix: unix
    types:
      extended_timestamp:
        seq:
          - id: has_modified
            type: b1
          - id: has_accessed
            type: b1
          - id: has_created
            type: b1
          - id: reserved
            type: b5
          - id: modified
            type: u4
            if: has_modified
          - id: accessed
            type: u4
            if: has_accessed and not _io.eof
          - id: created
            type: u4
            if: has_created and not _io.eof
      unix:
        seq:
          - id: version
            type: u1
          - id: len_uid
            type: u1
          - id: uid
            size: len_uid
          - id: len_gid
            type: u1
          - id: gid
            size: len_gid
  central_entry:
    seq:
      - id: made_by
        type: u2
      - id: version
        type: u2
      - id: flags
        size: 2
        type: flags
      - id: method
        type: u2
        enum: methods
      - id: time
        size: 4
        type: dos_datetime
      - id: crc
        type: u4
      - id: len_body
        type: u4
      - id: len_plain
        type: u4
      - id: len_name
        type: u2
      - id: len_extra
        type: u2
      - id: len_comment
        type: u2
      - id: disk
        type: u2
      - id: internal_attributes
        type: u2
      - id: external_attributes
        type: u4
      - id: ofs_header
        type: s4
      - id: name
        type: str
        size: len_name
        encoding: UTF-8
      - id: extra
        size: len_extra
        type: extras
      - id: comment
        type: str
        size: len_comment
        encoding: UTF-8
    instances:
      local:
        io: _root._io
        pos: ofs_header
        type: section
        doc: The member itself, where this says that it is.
      system:
        value: made_by >> 8
        enum: systems
      unix_mode:
        value: external_attributes >> 16 & 0o7777
        if: system == systems::unix
    enums:
      systems:
        0: dos
        3: unix
  end_of_central_dir:
    seq:
      - id: disk
        type: u2
      - id: disk_of_central_dir
        type: u2
      - id: num_entries_here
        type: u2
      - id: num_entries
        type: u2
      - id: len_central_dir
        type: u4
      - id: ofs_central_dir
        type: u4
      - id: len_comment
        type: u2
      - id: comment
        type: str
        size: len_comment
        encoding: UTF-8
enums:
  section_types:
    0x0201: central_entry
    0x0403: local_file
    0x0605: end_of_central_dir
  methods:
    0:
      id: none
      -orig-id: stored
    8: deflated
    12: bzip2
    14: lzma
  extra_ids:
    0x0001:
      id: zip64
      doc: Sizes that four bytes cannot hold.
      doc-ref: APPNOTE.TXT 4.5.3
    0x5455: extended_timestamp
    0x7875: unix
