meta: {id: cycles}
seq: [{id: jumps, type: jumps}, {id: nests, type: nests}, {id: flat, type: flat}]
types:
  jumps:
    seq: [{id: ofs, type: u1}]
    instances: {on: {pos: ofs, type: between}}
  between: {seq: [{id: x, type: jumps}]}
  nests: {seq: [{id: n, type: u1}, {id: x, type: nests, if: n > 0}]}
  flat: {seq: [{id: x, type: leads}]}
  leads: {seq: [{id: x, type: nests}]}
