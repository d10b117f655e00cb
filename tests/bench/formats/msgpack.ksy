meta: {id: msgpack, license: Apache-2.0, endian: be}
doc: A value whose first byte says what it is; lists and maps hold others.
seq:
  - id: first
    type: u1
  - id: extra_int
    type:
      switch-on: first
      cases:
        0xcc: u1
        0xcd: u2
        0xce: u4
        0xcf: u8
        0xd0: s1
        0xd1: s2
        0xd2: s4
        0xd3: s8
  - id: double
    type: f8
    if: is_double
  - id: len_text_8
    type: u1
    if: first == 0xd9
  - id: len_text_16
    type: u2
    if: first == 0xda
  - id: text
    type: str
    size: len_text
    encoding: UTF-8
    if: is_text
  - id: num_items_16
    type: u2
    if: first == 0xdc
  - id: items
    type: msgpack
    repeat: expr
    repeat-expr: num_items
    if: is_array
  - id: num_pairs_16
    type: u2
    if: first == 0xde
  - id: pairs
    type: pair
    repeat: expr
    repeat-expr: num_pairs
    if: is_map
types:
  pair:
    seq:
      - id: key
        type: msgpack
      - id: value
        type: msgpack
instances:
  is_double:
    value: first == 0xcb
  is_fix_text:
    value: (first & 0b1110_0000) == 0b1010_0000
  is_text:
    value: is_fix_text or first == 0xd9 or first == 0xda
  len_text:
    value: 'is_fix_text ? first & 0x1f : first == 0xd9 ? len_text_8 : len_text_16'
    if: is_text
  is_fix_array:
    value: (first & 0b1111_0000) == 0b1001_0000
  is_array:
    value: is_fix_array or first == 0xdc
  num_items:
    value: 'is_fix_array ? first & 0xf : num_items_16'
    if: is_array
  is_fix_map:
    value: (first & 0b1111_0000) == 0b1000_0000
  is_map:
    value: is_fix_map or first == 0xde
  num_pairs:
    value: 'is_fix_map ? first & 0xf : num_pairs_16'
    if: is_map
  is_small:
    value: first < 0x80
  int_value:
    value: 'is_small ? first : first >= 0xe0 ? first - 0x100 : extra_int'
    if: is_small or first >= 0xe0 or (first >= 0xcc and first <= 0xd3)
