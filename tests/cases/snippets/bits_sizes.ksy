# data: 0102
meta: {id: bits_sizes, endian: le, encoding: UTF-8}
types:
  a: {seq: [{id: x, type: b3, enum: e}, {id: y, type: b5}]}
enums: {e: {1: one}}
instances: {n: {value: bitsizeof<a>}, m: {value: sizeof<a>}}
