"""Comparing a record with what its bytes are read as."""

from typing import Any

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError

_MANY_PARTS = """
seq:
  - {id: n, type: u4}
  - {id: one, type: one}
instances:
  ahead: {pos: 4, type: u1}
  parts: {pos: 0, type: part, repeat: expr, repeat-expr: n}
types:
  one: {seq: [{id: two, type: two}]}
  two: {seq: [{id: three, type: three}]}
  three: {seq: [{id: x, type: u1, if: _root.ahead == 3}]}
  part: {seq: [{id: y, type: u1}]}
"""


def test_fields_are_compared_however_many_parts_there_are() -> None:
    """Parts at places of their own are bounded in number; fields are compared after the last."""
    count = 20_001
    sample: Any = read(_MANY_PARTS, count.to_bytes(4, "little") + b"\3" + bytes(count))
    assert len(sample.parts) == count
    sample.one.two.three.x = 4
    with pytest.raises(FormatError, match=r"sample\.one\.two\.three\.x: found 4, wanted None, as"):
        sample.to_bytes()
