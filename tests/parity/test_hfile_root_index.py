"""The loop over a root index of short keys gives the entries that the record class gives."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.hfile.index_entries import _with_short_keys, non_root_entries, read_root
from byteloom.hfile.messages import hadoop_vlong
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.hfile.index import Entry, Index, MidKey, NonRootIndex, RootEntry

LONGEST = 127
"""Bytes of a key that the loop takes."""

MID = MidKey(ofs_leaf=1 << 40, len_leaf=3, entry=7)
Entries = list[tuple[int, int, bytes]]
sizes = st.integers(0, 9) | st.sampled_from([(1 << 31) - 1])
keys = st.binary(max_size=3) | st.sampled_from([b"k" * LONGEST, b"k" * (LONGEST + 1)])
runs = st.lists(st.tuples(sizes, sizes, keys), max_size=3)


def entries_of(parts: Entries) -> Entries:
    """Blocks one after the other, each at a distance from the one before."""
    found, end = Entries(), 0
    for gap, size, key in parts:
        found.append((end + gap, size, key))
        end += gap + size
    return found


def root_of(entries: Entries, *, has_mid_key: bool) -> bytes:
    """A root index as its record writes it."""
    records = [
        RootEntry(offset=offset, len_block=size, len_key=hadoop_vlong(len(key)), key=key)
        for offset, size, key in entries
    ]
    mid_key = MID if has_mid_key else None
    return Index(num_entries=len(records), entries=records, mid_key=mid_key).to_bytes()


def by_record(data: bytes, count: int) -> tuple[Entries, MidKey | None] | None:
    """What the record class reads, of a root that ends with its last entry or a mid key."""
    try:
        root = Index.from_bytes(data, num_entries=count)
    except FormatError:
        return None
    return [(each.offset, each.len_block, each.key) for each in root.entries], root.mid_key


def by_loop(data: bytes, count: int) -> tuple[Entries, MidKey | None] | None:
    """What the loop finds; None where it leaves the root index to the record."""
    found = _with_short_keys(data, count, DEFAULT_LIMITS)
    return None if found is None else ([(*each,) for each in found.entries], found.mid_key)


@given(runs.map(entries_of), st.booleans())
@example([], True)
def test_a_root_has_the_entries_of_its_record(entries: Entries, has_mid_key: bool) -> None:
    """A root index has its record's entries; the loop reads it where all keys are short."""
    data = root_of(entries, has_mid_key=has_mid_key)
    record = by_record(data, len(entries))
    assert record == (entries, MID if has_mid_key else None)
    is_short = all(len(key) <= LONGEST for *_, key in entries)
    assert by_loop(data, len(entries)) == (record if is_short else None)
    found = read_root(data, len(entries), limits=DEFAULT_LIMITS, origin=0)
    assert ([tuple(each) for each in found.entries], found.mid_key) == record


@given(runs.map(entries_of), st.booleans(), st.data())
def test_of_a_damaged_root_the_loop_takes_nothing_that_the_record_refuses(
    entries: Entries,
    has_mid_key: bool,
    draw: st.DataObject,
) -> None:
    """The loop finds in a damaged root index what the record reads, or nothing."""
    data = root_of(entries, has_mid_key=has_mid_key)
    at, byte = draw.draw(st.integers(0, len(data))), bytes([draw.draw(st.integers(0, 255))])
    count = len(entries) + draw.draw(st.integers(-1, 1))
    for damaged in (data[:at], data[:at] + byte + data[at:], data[:at] + byte + data[at + 1 :]):
        found = by_loop(damaged, count)
        assert found is None or found == by_record(damaged, count)


@given(runs.map(entries_of).filter(len))
def test_the_entries_of_a_block_below_are_those_of_its_record(entries: Entries) -> None:
    """A lower index block has its record's entries; one more than there is room for is refused."""
    records = [Entry(len_key=len(key), offset=at, len_block=n, key=key) for at, n, key in entries]
    ends = [0]
    for each in records:
        ends.append(ends[-1] + len(each.to_bytes()))
    data = NonRootIndex(offsets=ends, entries=records).to_bytes()
    room = len(entries)
    found = non_root_entries(data, limits=DEFAULT_LIMITS, origin=0, room=room)
    assert [tuple(each) for each in found] == entries
    with pytest.raises(FormatError, match=rf"^index\.num_entries .*: found {room}, wanted at most"):
        non_root_entries(data, limits=DEFAULT_LIMITS, origin=0, room=room - 1)
