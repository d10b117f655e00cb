"""Bytes up to a terminator, taken from the start of a buffer and from inside a window."""

from __future__ import annotations

import pytest
from tests.support.gallery import rows

from byteloom.errors import Truncated
from byteloom.wire import Reader


@pytest.mark.parametrize(
    ("data", "terminator", "value", "offset"),
    rows("field_reader", "the_first_terminator_ends_the_bytes"),
)
def test_the_first_terminator_ends_the_bytes(
    data: bytes, terminator: bytes, value: bytes, offset: int
) -> None:
    """The first terminator at a multiple of its width ends the bytes, even at byte 0."""
    reader = Reader(data)
    assert (reader.until("name", terminator), reader.offset) == (value, offset)
    reader = Reader(data)
    assert reader.until("name", terminator, include=True) == value + terminator
    reader = Reader(data)
    assert reader.until("name", terminator, consume=False) == value
    assert reader.offset == len(value)


def test_terminators_follow_each_other() -> None:
    """Each terminator is searched for from where the last one ended."""
    reader = Reader(b"\0\0a\0")
    assert [reader.until("name", b"\0") for _ in range(3)] == [b"", b"", b"a"]


def test_widths_are_counted_from_where_the_bytes_begin() -> None:
    """Multiples of a terminator's width count from the start of the bytes, not of the buffer."""
    reader = Reader(b"xabc\0\0\0\0")
    reader.u1("first")
    assert reader.until("name", b"\0\0\0") == b"abc"


@pytest.mark.parametrize("data", [b"", b"ab", b"a\0\0b", b"\0"])
def test_bytes_without_a_terminator_are_refused_or_taken_whole(data: bytes) -> None:
    """Bytes without a terminator are refused, or read to the end if the caller allows it."""
    with pytest.raises(
        Truncated, match=rf"name at byte 0 \(0x0\): found {len(data)} bytes without it"
    ):
        Reader(data).until("name", b"\0\0")
    assert Reader(data).until("name", b"\0\0", eos_error=False) == data
