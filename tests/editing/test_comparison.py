"""Comparing a record with what its bytes are read as."""

from tests.support.modules import module_of

from byteloom.editing.comparison import difference
from byteloom.editing.parts import MOST

_MANY_PARTS = """
seq:
  - {id: n, type: u4}
  - {id: one, type: one}
instances:
  parts: {pos: 0, type: part, repeat: expr, repeat-expr: n}
types:
  one: {seq: [{id: two, type: two}]}
  two: {seq: [{id: three, type: three}]}
  three: {seq: [{id: x, type: u1}]}
  part: {seq: [{id: y, type: u1}]}
"""


def test_fields_are_compared_however_many_parts_there_are() -> None:
    """Parts at places of their own are bounded in number; fields are compared after the last."""
    sample = module_of(_MANY_PARTS).Sample
    head, parts = (MOST + 1).to_bytes(4, "little"), bytes(MOST)
    written, found = (sample.from_bytes(head + x + parts) for x in (b"\1", b"\2"))
    error = difference(written, found)
    assert error is not None
    assert error.path.endswith(".one.two.three.x")
