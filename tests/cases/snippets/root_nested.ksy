# data: 020501040003|0009
meta: {id: root_nested}
doc: A record within another of its own type has the outermost as its root, and so has what is in it.
seq:
  - {id: kids, type: u1}
  - {id: leaf, type: leaf}
  - {id: kid, type: root_nested, if: kids > 0}
types:
  leaf:
    seq: [{id: value, type: u1}]
    instances:
      outermost: {value: _root.leaf.value}
instances:
  outermost: {value: _root.leaf.value}
  its_own: {value: kid._root.kids, if: kids > 0}
  depth: {value: _root.kids - kids}
