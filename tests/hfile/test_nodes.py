"""Keys of index blocks obey the same rules as keys of cells."""

from __future__ import annotations

import re
from itertools import accumulate

import pytest

from byteloom.errors import FormatError
from byteloom.hfile.nodes import node_of
from byteloom.kernels.hfile_order import CELLS
from byteloom_generated.hfile.index import Entry, Index, MidKey, NonRootIndex


def key_of(row: bytes, family: bytes, kind: int) -> bytes:
    """Return a key as it is stored, with time 5."""
    head = len(row).to_bytes(2, "big") + row + bytes([len(family)]) + family
    return head + (5).to_bytes(8, "big") + bytes([kind])


def payload(*keys: bytes) -> bytes:
    """Return an index block with these keys."""
    entries = [
        Entry(len_key=len(key), offset=100 * number, len_block=100, key=key)
        for number, key in enumerate(keys)
    ]
    offsets = accumulate((len(each.to_bytes()) for each in entries), initial=0)
    return NonRootIndex(offsets=list(offsets), entries=entries).to_bytes()


@pytest.mark.parametrize(
    ("key", "fits"),
    [
        (key_of(b"b", b"", 4), True),
        (b"\0\1b", True),
        (key_of(b"b" * 32767, b"", 4), True),
        (key_of(b"b" * 32768, b"", 4), False),
        (key_of(b"b", b"f" * 127, 4), True),
        (key_of(b"b", b"f" * 128, 4), False),
        (key_of(b"b", b"", 255), True),
        (key_of(b"b", b"", 3), False),
        (key_of(b"b", b"", 4)[:-1], False),
    ],
)
def test_keys_of_an_index_obey_the_rules_of_cells(key: bytes, fits: bool) -> None:
    """Row, family and type of an index key have the bounds of the spec; a row alone is a key."""
    data = payload(key_of(b"a", b"f", 4), key)
    if fits:
        assert node_of(data, 1, CELLS, 0).key(1) == key
    else:
        with pytest.raises(FormatError, match=r"^index\.entries\[1\]\.key .* wanted a cell key"):
            node_of(data, 1, CELLS, 0)


@pytest.mark.parametrize(
    ("left", "mid_key"),
    [(0, None), (15, None), (16, MidKey(ofs_leaf=1, len_leaf=2, entry=3))],
)
def test_a_root_has_a_middle_key_where_there_is_room_for_one(
    left: int, mid_key: MidKey | None
) -> None:
    """A root index has a middle key if sixteen bytes follow the entries, and none if fewer do."""
    data = bytes.fromhex("0000000000000001 00000002 00000003")[:left]
    assert Index.from_bytes(data, num_entries=0).mid_key == mid_key


@pytest.mark.parametrize("count", [-1, 0, 3])
def test_a_node_has_an_entry_and_no_more_than_it_has_room_for(count: int) -> None:
    """A number of index entries that is negative, 0 or too large for the block is refused."""
    sound = payload(b"\0\1a", b"\0\1b")
    said = (
        f"index.num_entries at byte 7 (0x7): found {count}, wanted 1 to 2, which there is room for"
    )
    with pytest.raises(FormatError, match=f"^{re.escape(said)}$"):
        node_of(count.to_bytes(4, "big", signed=True) + sound[4:], 1, CELLS, 7)
