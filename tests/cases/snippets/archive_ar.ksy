# data: 213c617263683e0a612f2020202020203420202020207abbccdd0a622f202020202020332020202020aabbcc0a
meta: {id: archive_ar}
seq:
  - {id: magic, contents: "!<arch>\n"}
  - {id: members, type: member, repeat: eos}
types:
  member:
    seq:
      - {id: name, type: str, size: 8, encoding: UTF-8, terminator: 0x2f}
      - {id: len_text, type: str, size: 6, pad-right: 0x20, encoding: ASCII}
      - {id: data, size: len.to_i}
      - {id: pad, contents: [0x0a], if: 'len.to_i % 2 != 0 or true'}
    instances:
      len: {value: 'len_text.substring(0, len_text.length)'}
      num: {value: 'len_text.to_i(16) + len_text.to_i(8)'}
