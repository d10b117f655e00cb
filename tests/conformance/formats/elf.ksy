meta:
  id: elf
  title: Executable and linkable file
  file-extension:
    - so
    - o
  license: Apache-2.0
doc: |
  The first sixteen bytes say how wide all others are, and in which byte order.
  Segments are what a loader maps, sections what a linker works on.
doc-ref: https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
seq:
  - id: magic
    contents: [0x7f, ELF]
  - id: bits
    type: u1
    enum: bits
    valid:
      any-of: ['bits::b32', 'bits::b64']
  - id: endian
    type: u1
    enum: endian
  - id: version
    type: u1
    valid: 1
  - id: abi
    type: u1
    enum: abis
  - id: abi_version
    type: u1
  - id: pad
    size: 7
  - id: header
    type: header
instances:
  is_64:
    value: bits == bits::b64
types:
  word:
    doc: As wide as an address.
    meta:
      endian:
        switch-on: _root.endian
        cases:
          endian::le: le
          endian::be: be
    seq:
      - id: value
        type:
          switch-on: _root.is_64
          cases:
            true: u8
            false: u4
  header:
    meta:
      endian:
        switch-on: _root.endian
        cases:
          endian::le: le
          endian::be: be
    seq:
      - id: type
        type: u2
        enum: types
      - id: machine
        type: u2
        enum: machines
      - id: version
        type: u4
      - id: entry
        type: word
      - id: ofs_segments
        type: word
      - id: ofs_sections
        type: word
      - id: flags
        type: u4
      - id: len_header
        type: u2
      - id: len_segment
        type: u2
      - id: num_segments
        type: u2
      - id: len_section
        type: u2
      - id: num_sections
        type: u2
      - id: idx_names
        type: u2
    instances:
      segments:
        pos: ofs_segments.value
        size: len_segment
        type: segment
        repeat: expr
        repeat-expr: num_segments
        if: num_segments != 0
      sections:
        pos: ofs_sections.value
        size: len_section
        type: section
        repeat: expr
        repeat-expr: num_sections
        if: num_sections != 0
      names:
        pos: sections[idx_names].ofs_body
        size: sections[idx_names].len_body
        type: strings
        if: idx_names != 0 and sections[idx_names].type == section_types::strtab
    types:
      segment:
        seq:
          - id: type
            type: u4
            enum: segment_types
          - id: flags_64
            type: u4
            if: _root.is_64
          - id: ofs
            type: word
          - id: virtual
            type: word
          - id: physical
            type: word
          - id: len_file
            type: word
          - id: len_memory
            type: word
          - id: flags_32
            type: u4
            if: not _root.is_64
          - id: align
            type: word
        instances:
          flags:
            type: 'segment_flags(_root.is_64 ? flags_64 : flags_32)'
            pos: 0
          interpreter:
            io: _root._io
            pos: ofs.value
            size: len_file.value
            type: strz
            encoding: ASCII
            if: type == segment_types::interp
      segment_flags:
        params:
          - id: value
            type: u4
        instances:
          can_execute:
            value: value & 1 != 0
          can_write:
            value: value & 2 != 0
          can_read:
            value: value & 4 == 4
          others:
            value: value & ~7
      section:
        seq:
          - id: ofs_name
            type: u4
          - id: type
            type: u4
            enum: section_types
          - id: flags
            type: word
          - id: address
            type: word
          - id: ofs
            type: word
          - id: len
            type: word
          - id: link
            type: u4
          - id: info
            type: u4
          - id: align
            type: word
          - id: len_entry
            type: word
        instances:
          ofs_body:
            value: ofs.value.as<u8>
          len_body:
            value: len.value.as<u8>
          body:
            io: _root._io
            pos: ofs_body
            size: len_body
            type:
              switch-on: type
              cases:
                section_types::strtab: strings
                section_types::dynsym: symbols
                section_types::symtab: symbols
                section_types::dynamic: dynamics
                section_types::note: notes
            if: type != section_types::nobits and type != section_types::none
          linked:
            value: _root.header.sections[link]
            if: link != 0 and link < _root.header.num_sections
          name:
            io: _root.header.names._io
            pos: ofs_name
            type: strz
            encoding: ASCII
            if: _root.header.idx_names != 0
      symbols:
        seq:
          - id: symbols
            type: symbol
            size: '_root.is_64 ? 24 : 16'
            repeat: eos
      symbol:
        seq:
          - id: ofs_name
            type: u4
          - id: value_32
            type: u4
            if: not _root.is_64
          - id: len_32
            type: u4
            if: not _root.is_64
          - id: bind
            type: b4
            enum: binds
          - id: type
            type: b4
            enum: symbol_types
          - id: other
            type: u1
          - id: idx_section
            type: u2
          - id: value_64
            type: u8
            if: _root.is_64
          - id: len_64
            type: u8
            if: _root.is_64
        instances:
          visibility:
            value: other & 3
            enum: visibilities
        enums:
          binds:
            0: local
            1: everywhere
            2: weak
          symbol_types:
            0: none
            1: object
            2: func
            3: section
            4: file
          visibilities:
            0: default
            1: internal
            2: hidden
            3: protected
      dynamics:
        seq:
          - id: entries
            type: dynamic
            repeat: until
            repeat-until: _.tag.value == 0 or _io.eof
      dynamic:
        seq:
          - id: tag
            type: word
          - id: value
            type: word
      notes:
        seq:
          - id: notes
            type: note
            repeat: eos
      note:
        seq:
          - id: len_name
            type: u4
          - id: len_body
            type: u4
          - id: type
            type: u4
          - id: name
            type: strz
            size: len_name
            encoding: ASCII
          - id: pad_name
            size: -len_name % 4
          - id: body
            size: len_body
          - id: pad_body
            size: -len_body % 4
  strings:
    seq:
      - id: strings
        type: strz
        encoding: ASCII
        repeat: eos
enums:
  bits:
    1: b32
    2: b64
  endian:
    1: le
    2: be
  abis:
    0: none
    3: linux
    9: freebsd
  types:
    0: none
    1: relocatable
    2: executable
    3: shared
    4: core
  machines:
    0: none
    3: x86
    8: mips
    40: arm
    62: x86_64
    183: aarch64
    243: riscv
  segment_types:
    0: none
    1: load
    2: dynamic
    3: interp
    4: note
    0x6474_e551: gnu_stack
  section_types:
    0: none
    1: progbits
    2: symtab
    3: strtab
    4: rela
    6: dynamic
    7: note
    8: nobits
    11: dynsym
