"""Index blocks that lookups view in place have the entries that their record has."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.hfile.decoded_blocks import _viewed
from byteloom.hfile.index_entries import IndexEntry, non_root_entries
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.hfile.index import Entry, NonRootIndex

words = st.integers(-(1 << 63), (1 << 63) - 1)
sizes = st.integers(-(1 << 31), (1 << 31) - 1)
keys = st.binary(max_size=9)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """An entry with any place, size and key."""
    key = draw(keys)
    return Entry(len_key=len(key), offset=draw(words), len_block=draw(sizes), key=key)


def block(found: list[Entry]) -> bytes:
    """The payload of an index block."""
    offsets = accumulate((len(each.to_bytes()) for each in found), initial=0)
    return NonRootIndex(offsets=list(offsets), entries=found).to_bytes()


blocks = st.lists(entries(), min_size=1, max_size=4).map(block)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """An index block, damaged: a byte changed, left out or inserted, or the end cut off."""
    data = draw(blocks)
    at, byte = draw(st.integers(0, len(data) - 1)), bytes((draw(st.integers(0, 255)),))
    changed = (data[:at] + byte + data[at + 1 :], data[:at] + data[at + 1 :])
    return draw(st.sampled_from((*changed, data[:at], data[:at] + byte + data[at:])))


def by_record(data: bytes) -> list[IndexEntry] | None:
    """The entries as the record reads them; None where it refuses them."""
    try:
        return non_root_entries(data, limits=DEFAULT_LIMITS, origin=0, room=1 << 20)
    except FormatError:
        return None


def by_view(data: bytes) -> list[IndexEntry] | None:
    """The entries as lookups view them; None where they refuse them."""
    try:
        node = _viewed(data, 1, 0)
    except FormatError:
        return None
    return [node.entry(number) for number in range(len(node))]


@given(blocks | damaged())
def test_views_of_index_blocks_are_what_records_read(data: bytes) -> None:
    """A view of an index block has its record's places, sizes and keys, or both refuse it."""
    assert by_view(data) == by_record(data)


def test_an_index_block_without_entries_is_refused_by_lookups_alone() -> None:
    """Lookups refuse an index block without entries, which its record reads."""
    data = block([])
    assert by_record(data) == []
    with pytest.raises(FormatError, match=r"^index\.num_entries at byte 0 .*found 0, wanted 1 to "):
        _viewed(data, 1, 0)
