# data: 4d5a0800aabbccdd50450000014c0203040506000102|4d5a0800aabbccdd5045000001862000040506000102
meta:
  id: exe_pe
  title: Executable with two headers
  file-extension: [exe, dll]
  xref: {wikidata: Q1, mac: [a, b]}
  license: CC0-1.0
  ks-version: 0.9
  endian: le
doc: |
  Text with "quotes", \back\slashes and trailing spaces   
  and `code` and | pipes |.
doc-ref:
  - https://example.org/a b
  - 'Second "ref"'
seq:
  - id: mz
    contents: MZ
  - id: ofs_pe
    -orig-id: e_lfanew
    type: u2
instances:
  pe:
    pos: ofs_pe
    type: pe_header
types:
  pe_header:
    seq:
      - id: magic
        contents: ["PE", 0, 0]
      - id: magic2
        contents: [1]
      - id: machine
        type: u2
        enum: machine
      - id: flags
        type: flags
      - id: opt
        size: len_opt
        type: optional_header
        if: len_opt > 0
    instances:
      len_opt:
        value: '_io.size - _io.pos >= 3 ? 3 : 0'
    enums:
      machine:
        0x014c: i386
        0x8664: {id: amd64, doc: "a"}
        0x204c: none
        0x2086: 'true'
  flags:
    meta: {bit-endian: le}
    seq:
      - {id: relocs_stripped, type: b1}
      - {id: exec, type: b1}
      - {id: reserved, type: b6}
      - {id: hi, type: b4, enum: lvl}
      - {id: x, type: b3}
    enums: {lvl: {3: three, 4: four}}
  optional_header:
    seq:
      - id: format
        type: u1
        enum: fmt
      - id: std
        type:
          switch-on: format
          cases:
            'fmt::pe32': std32
            'fmt::pe32plus': std64
            _: std_any(_parent.machine.to_i)
    enums: {fmt: {4: pe32, 5: pe32plus}}
    types:
      std32: {seq: [{id: a, type: u1}]}
      std64: {seq: [{id: a, type: u1}, {id: b, type: u1}]}
      std_any:
        params: [{id: m, type: u2}]
        seq: [{id: a, size-eos: true}]
        instances: {mm: {value: 'm & 0xff'}}
