"""Sizes before messages and compressed bytes of Lance files are those of the spec's records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.sized import read_framed
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.sources import BytesSource
from byteloom.wire import Reader
from byteloom_generated.lance.tail import FramedMessage


def by_record(data: bytes, at: int, end: int) -> tuple[bytes, int] | str:
    """The message as its record reads it, and where it begins; or the field that is wrong."""
    reader = Reader(data[at:end], origin=at)
    try:
        message = FramedMessage.read(reader).message
    except FormatError as error:
        return error.path
    return message, reader.offset - len(message)


def by_hand(data: bytes, at: int, end: int) -> tuple[bytes, int] | str:
    """The message as byteloom fetches it, and where it begins; or the field that is wrong."""
    try:
        return read_framed(BytesSource(data), at, end, "message", DEFAULT_LIMITS)
    except FormatError as error:
        return error.path.rpartition(".")[2]


@given(st.binary(max_size=9), st.binary(max_size=9), st.binary(max_size=3))
def test_messages_are_those_of_their_record(before: bytes, message: bytes, after: bytes) -> None:
    """A message is read as by its record; a cut or damaged one is refused alike."""
    framed = FramedMessage(message=message).to_bytes()
    data, at = before + framed + after, len(before)
    end = at + len(framed)
    assert (
        by_hand(data, at, end)
        == by_record(data, at, end)
        == (message, at + len(framed) - len(message))
    )
    for cut in range(at, end):
        assert by_hand(data, at, cut) == by_record(data, at, cut)
    for bit in range(8 * (len(framed) - len(message))):
        flipped = bytearray(data)
        flipped[at + bit // 8] ^= 1 << bit % 8
        record = by_record(bytes(flipped), at, end)
        assert by_hand(bytes(flipped), at, end) in {record, "len_message"}


def test_a_message_has_the_limit_and_no_more() -> None:
    """A message larger than ``limits.metadata_size`` is refused before it is fetched."""
    framed = FramedMessage(message=b"abcde").to_bytes()
    source = BytesSource(framed)
    found = read_framed(source, 0, len(framed), "message", Limits(metadata_size=5))
    assert found == (b"abcde", len(framed) - 5)
    wanted = (
        r"^message\.len_message at byte 0 .*: found 5, wanted at most 4 \(limits\.metadata_size\)$"
    )
    with pytest.raises(LimitExceeded, match=wanted):
        read_framed(source, 0, len(framed), "message", Limits(metadata_size=4))
