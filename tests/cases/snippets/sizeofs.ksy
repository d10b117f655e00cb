# data: 0102030405060708
meta: {id: sizeofs, endian: le, encoding: UTF-8}
seq: [{id: a, type: x}, {id: b, type: u4}]
types: {x: {seq: [{id: q, type: u2}, {id: r, type: b4}]}}
instances: {s: {value: sizeof<x> * 100}, t: {value: a._sizeof + b._sizeof}, u: {value: sizeof<u4> + sizeof<b13>}}
