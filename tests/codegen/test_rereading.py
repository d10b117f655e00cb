"""Which records are read again after they were written, to know that they read as they are."""

from __future__ import annotations

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError

_IN_A_PARENT = """
seq: [{id: size, type: u1}, {id: part, type: inner}]
types:
  inner:
    seq: [{id: text, size: _parent.size}]
    instances: {first: {pos: 0, type: u1}}
"""
_WITH_AN_INSTANCE = """
seq: [{id: text, size: 2}]
instances: {first: {pos: 0, type: u1, valid: 0x61}}
"""


def test_a_part_of_a_record_is_written_without_its_parent() -> None:
    """A record inside another is not read again by itself: its size may be in its parent."""
    assert read(_IN_A_PARENT, b"\2ab").part.to_bytes() == b"ab"


def test_a_record_with_a_rule_for_what_is_read_out_of_order_is_read_again() -> None:
    """A whole record is read again, so that an edit which breaks an instance's rule is refused."""
    record = read(_WITH_AN_INSTANCE, b"ab")
    assert record.first == 0x61
    record.text = b"bb"
    with pytest.raises(FormatError, match="first"):
        record.to_bytes()
