"""Edited parameters are refused where the record around passes others."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError

_PASSED = """
seq:
  - {id: blocks, type: block, repeat: expr, repeat-expr: 2}
  - {id: inner, type: 'inner(blocks, 2)'}
types:
  block: {seq: [{id: len, type: u1}]}
  inner:
    params: [{id: given, type: 'block[]'}, {id: len, type: u1}]
    seq:
      - {id: one, size: 'given[0].len'}
      - {id: two, size: len}
"""
_PASSED_AND_READ_BACK = f"{_PASSED}instances: {{first: {{pos: 0, type: u1}}}}\n"


@pytest.mark.parametrize("spec", [_PASSED, _PASSED_AND_READ_BACK])
class TestParameters:
    """A record is written with what the record around it passes."""

    @pytest.mark.parametrize("edit", [lambda given: given[:1], lambda given: given + given[:1]])
    def test_an_edited_list_is_refused(self, spec: str, edit: Callable[[Any], Any]) -> None:
        """A parameter with another list than is passed is refused, as often as it is written."""
        outer: Any = read(spec, b"\1\2abc")
        outer.inner.given = edit(outer.inner.given)
        for _ in range(2):
            with pytest.raises(FormatError, match=r"sample.inner.given: found \d element"):
                outer.to_bytes()

    def test_an_edited_number_is_refused(self, spec: str) -> None:
        """A parameter with another number than is passed is refused, as often."""
        outer: Any = read(spec, b"\1\2abc")
        outer.inner.len = 1
        for _ in range(2):
            with pytest.raises(FormatError, match=r"sample.inner.len: found 1, wanted 2, as it is"):
                outer.to_bytes()

    def test_what_is_passed_may_change_again_and_again(self, spec: str) -> None:
        """A list that is passed may be replaced: the parameter then is the new list."""
        outer: Any = read(spec, b"\1\2abc")
        block = type(outer.blocks[0])
        for size in (2, 3):
            outer.blocks = [block(len=size), block(len=0)]
            outer.inner.one = bytes(size)
            assert outer.to_bytes() == bytes([size, 0, *bytes(size)]) + b"bc"
            assert outer.inner.given is outer.blocks

    def test_both_may_be_edited_alike(self, spec: str) -> None:
        """A parameter may be edited to be what is passed."""
        outer: Any = read(spec, b"\1\2abc")
        outer.blocks = outer.inner.given = [type(outer.blocks[0])(len=1)] * 2
        assert outer.to_bytes() == b"\1\1abc"
