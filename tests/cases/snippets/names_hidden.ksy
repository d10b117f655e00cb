# data: 0102030405060708
meta: {id: names_hidden, endian: le, encoding: UTF-8}
seq: [{id: io, type: u1}, {id: parent, type: p}, {id: root, type: u1}, {id: stream, type: u1}, {id: m_x, type: u1}]
types: {p: {seq: [{id: is_le, type: u1}], instances: {io: {pos: 0, type: u1}, parent: {value: _parent.io}, root: {pos: 1, type: u1}, stream: {pos: 2, type: u1}}}}
instances: {is_le: {pos: 0, type: u1}, taken: {pos: 1, type: u1}, x: {value: 3}, read: {value: 1}, write: {value: 2}}
