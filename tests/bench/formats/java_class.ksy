meta: {id: java_class, license: Apache-2.0, endian: be}
doc: A compiled class, whose parts name things by their number in a pool.
seq:
  - id: magic
    contents: [0xca, 0xfe, 0xba, 0xbe]
  - id: minor
    type: u2
  - id: major
    type: u2
    valid: {min: 43}
  - id: len_pool
    type: u2
  - id: pool
    type: 'constant(_index != 0 ? pool[_index - 1].takes_two : false)'
    repeat: expr
    repeat-expr: len_pool - 1
  - id: access
    type: u2
  - id: this_class
    type: u2
  - id: super_class
    type: u2
  - id: num_interfaces
    type: u2
  - id: interfaces
    type: u2
    repeat: expr
    repeat-expr: num_interfaces
  - id: num_fields
    type: u2
  - id: fields
    type: member
    repeat: expr
    repeat-expr: num_fields
  - id: num_methods
    type: u2
  - id: methods
    type: member
    repeat: expr
    repeat-expr: num_methods
  - id: num_attributes
    type: u2
  - id: attributes
    type: attribute
    repeat: expr
    repeat-expr: num_attributes
types:
  constant:
    params:
      - id: is_second
        type: bool
    seq:
      - id: tag
        type: u1
        enum: tags
        if: not is_second
      - id: info
        if: not is_second
        type:
          switch-on: tag
          cases:
            tags::utf8: utf8
            tags::integer: s4
            tags::float: f4
            tags::long: s8
            tags::double: f8
            tags::class_name: reference
            tags::text: reference
            tags::field: member_reference
            tags::method: member_reference
            tags::interface: member_reference
            tags::name_and_type: member_reference
    instances:
      takes_two:
        value: 'is_second ? false : tag == tags::long or tag == tags::double'
  utf8:
    seq:
      - id: len_text
        type: u2
      - id: text
        type: str
        size: len_text
        encoding: UTF-8
  reference:
    seq:
      - id: index
        type: u2
    instances:
      as_text:
        value: _root.pool[index - 1].info.as<utf8>.text
  member_reference:
    seq:
      - id: first
        type: u2
      - id: second
        type: u2
  member:
    seq:
      - id: access
        type: u2
      - id: name_index
        type: u2
      - id: type_index
        type: u2
      - id: num_attributes
        type: u2
      - id: attributes
        type: attribute
        repeat: expr
        repeat-expr: num_attributes
    instances:
      name:
        value: _root.pool[name_index - 1].info.as<utf8>.text
  attribute:
    seq:
      - id: name_index
        type: u2
      - id: len_body
        type: u4
      - id: body
        size: len_body
        type:
          switch-on: name
          cases:
            '"Code"': code
            '"SourceFile"': reference
            '"LineNumberTable"': lines
            '"Exceptions"': exceptions
    instances:
      name:
        value: _root.pool[name_index - 1].info.as<utf8>.text
  code:
    seq:
      - id: max_stack
        type: u2
      - id: max_locals
        type: u2
      - id: len_code
        type: u4
      - id: code
        size: len_code
      - id: num_handlers
        type: u2
      - id: handlers
        type: handler
        repeat: expr
        repeat-expr: num_handlers
      - id: num_attributes
        type: u2
      - id: attributes
        type: attribute
        repeat: expr
        repeat-expr: num_attributes
  handler:
    seq:
      - id: start
        type: u2
      - id: end
        type: u2
      - id: target
        type: u2
      - id: kind
        type: u2
  lines:
    seq:
      - id: num_lines
        type: u2
      - id: lines
        type: line
        repeat: expr
        repeat-expr: num_lines
  line:
    seq:
      - id: start
        type: u2
      - id: line
        type: u2
  exceptions:
    seq:
      - id: num_indexes
        type: u2
      - id: indexes
        type: u2
        repeat: expr
        repeat-expr: num_indexes
enums:
  tags:
    1: utf8
    3: integer
    4: float
    5: long
    6: double
    7: class_name
    8: text
    9: field
    10: method
    11: interface
    12: name_and_type
