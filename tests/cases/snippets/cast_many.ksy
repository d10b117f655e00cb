# data: 0141|024243|0300
meta: {id: cast_many, endian: le, encoding: ASCII}
seq:
  - {id: k, type: u1}
  - id: body
    type:
      switch-on: k
      cases: {1: a, 2: b, 3: c}
types:
  a: {seq: [{id: v, type: str, size: 1}], instances: {name: {value: v}}}
  b: {seq: [{id: v, type: str, size: 2}], instances: {name: {value: 'v + "!"'}}}
  c: {seq: [{id: v, type: u1}], instances: {name: {value: v.to_s}}}
instances:
  name:
    value: |
      k == 1 ? body.as<a>.name :
      k == 2 ? body.as<b>.name :
      k == 3 ? body.as<c>.name :
      "?"
  asu: {value: 'k.as<u2>'}
  raw: {value: 'body.as<cast_many::a>.v', if: k == 1}
  tt: {value: 'k == 1 ? body.as<a> : body.as<struct>'}
