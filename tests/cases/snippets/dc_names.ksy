# data: 0102030405060708090a
meta: {id: dc_names, endian: le, encoding: UTF-8}
seq: [{id: field, type: u1}, {id: dataclass, type: u1}, {id: struct, type: u1}, {id: super, type: u1}, {id: cast, type: u1}, {id: name, type: u1}, {id: min_size, type: u1}, {id: size, type: u1}, {id: bool, type: u1, repeat: expr, repeat-expr: 1}, {id: float, type: u1}]
instances: {str: {value: '"x"'}, list: {value: '[1, 2]'}, object: {value: str.length}, max: {value: list.max}}
types: {record: {}, reader: {}, writer: {}, class_var: {}, self: {}, int_enum: {}, any: {}, struct: {}}
enums: {any: {1: a}, int_enum: {1: b}}
