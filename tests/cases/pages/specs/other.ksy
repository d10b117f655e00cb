meta: {id: other}
seq: [{id: a, type: u1}]
