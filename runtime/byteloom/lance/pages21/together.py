"""Decode small pages of many columns together, by one call for each encoding.

A page has a fixed cost of a millisecond, and a wide file has one of a few kilobytes for each
column. Pages of one layout and type are decoded as if they were pages of one column, and each leaf
gets its part.

- Nothing is refused here: if a group has any damage, its leaves read their pages themselves, so
  that errors name the page.
- Pages with lists are left to their leaves: only their levels show where a page ends.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa

from byteloom.errors import ByteloomError
from byteloom.lance.pages21.mini_block import MiniBlockPages, has_symbols
from byteloom.lance.pages21.stored import StoredPage, fetch_together
from byteloom_generated.lance.encodings21 import PageLayout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.pages21.leaf import Leaf21
    from byteloom.lance.reading import LeafPages
    from byteloom_generated.lance.encodings21 import MiniBlockLayout

__all__ = [
    "MOST_OF_GROUP",
    "Member",
    "decode_leaves",
    "decoded_run",
    "members_of",
    "rows_of",
    "shape_of",
]

MOST_OF_GROUP: Final = 1 << 24
"""Bytes of pages that are read together."""

_SMALL: Final = 1 << 18
"""Bytes of a page whose fixed cost is about that of decoding it."""

SMALL_OF_MANY: Final = 1 << 20
"""Bytes of a page that is decoded with the next pages of its leaf."""

_MOST: Final = 1 << 25
"""Bytes of pages that are decoded together."""

_SHORT: Final = 1 << 9
"""Most bytes of a layout that other pages are likely to share: it has no table of symbols."""

_MOST_AHEAD: Final = 1 << 26
"""Bytes of large pages of a store that are fetched before they are decoded."""


class Member(NamedTuple):
    """A page of a leaf, and its number in the leaf.

    shape  the shape that it shares with the pages that it is decoded with
    """

    leaf: Leaf21
    number: int
    page: StoredPage
    layout: MiniBlockLayout
    shape: bytes


def decode_leaves(wanted: Sequence[LeafPages], *, whole: bool) -> None:
    """Decode small pages of several leaves, each of which keeps the rows of its pages.

    wanted  leaves, with the numbers of pages that are not decoded
    whole   whether pages will be read whole: large ones in a store are then fetched together
    """
    part: list[Member] = []
    left = _MOST
    ahead: list[StoredPage] = []
    room = _MOST_AHEAD if whole else 0
    for leaf, numbers in wanted:
        small = _SMALL if len(numbers) == 1 or leaf.is_remote else SMALL_OF_MANY
        for number in numbers:
            size = leaf.bytes_of(number)
            if number == numbers[0] and small <= size <= room and leaf.is_remote:
                ahead.append(leaf.fetching(number))
                room -= size
            if not 0 < size < small:
                break
            if size > left:
                _decode(part)
                part, left = [], _MOST
            member = _member(leaf, number)
            if member is None:
                break
            part.append(member)
            left -= size
    _decode(part)
    if len(ahead) > 1:
        with suppress(ByteloomError):  # each is read again for the error when its turn comes
            fetch_together(ahead)


def members_of(leaves: Sequence[Leaf21]) -> list[Member] | None:
    """Return the pages of *leaves*, those of one field in several files, to decode as one.

    None if a leaf has several pages or a large one, or pages are not alike.
    """
    found: list[Member] = []
    for each in leaves:
        member = _member(each, 0) if each.has_one_page and each.bytes_of(0) < _SMALL else None
        if member is None or (found and member.shape != found[0].shape):
            return None
        found.append(member)
    return found


def _member(leaf: Leaf21, number: int) -> Member | None:
    """A page that may be decoded with others; None for one that its leaf has to read."""
    try:
        (mini_block, shape), page = leaf.shape(number), leaf.stored(number)
    except ByteloomError:
        return None
    is_plain = shape and mini_block.num_items == page.length
    if not is_plain or mini_block.HasField("rep_compression"):
        return None
    return Member(leaf, number, page, mini_block, shape)


def _decode(members: list[Member]) -> None:
    """Read pages, and decode them with those of the same layout and type."""
    groups: dict[tuple[bytes, pa.DataType], list[Member]] = {}
    for each in members:
        groups.setdefault((each.shape, each.leaf.type), []).append(each)
    found = [group for group in groups.values() if len(group) > 1]
    if not found:
        return
    try:
        fetch_together([each.page for group in found for each in group])
    except ByteloomError:
        return
    for group in found:
        _decode_group(group)


def _decode_group(members: list[Member]) -> None:
    try:
        rows = rows_of(members)
    except ByteloomError:
        return
    if rows is None:
        return
    at = 0
    neighbours: list[Member] = []
    for each in members:
        last = neighbours[-1] if neighbours else each
        if each.leaf is not last.leaf or each.number > last.number + 1:
            at = _keep(neighbours, rows, at)
            neighbours = []
        neighbours.append(each)
    _keep(neighbours, rows, at)


def _keep(members: Sequence[Member], rows: pa.Array, at: int) -> int:
    """Make a leaf keep the rows of consecutive pages, from *at* on; return where they end."""
    count = sum([each.page.length for each in members])
    members[0].leaf.keep(members[0].number, rows.slice(at, count))
    return at + count


def decoded_run(leaf: Leaf21, numbers: Sequence[int]) -> pa.Array | None:
    """Return the rows of some pages of a leaf in one array; None if that is not possible.

    raises  `ByteloomError` for damage in any of them
    """
    members = [_member(leaf, each) for each in numbers] if len(numbers) > 1 else []
    found = [each for each in members if each is not None]
    if len({each.shape for each in found}) != 1 or len(found) < len(numbers):
        return None
    fetch_together([each.page for each in found])
    return rows_of(found)


def rows_of(members: list[Member]) -> pa.Array | None:
    """Return the rows of pages, whose bytes were fetched, in one array; None for lists."""
    pages = [each.page for each in members]
    opened = MiniBlockPages(pages, [each.layout for each in members], members[0].leaf.type)
    return opened.whole() if opened.nesting.size == 1 else None


def shape_of(layout: PageLayout, data: bytes, type_: pa.DataType) -> bytes:
    """Return the shape that pages read together share; empty for a page that is read alone.

    data  the bytes of the layout
    """
    if layout.WhichOneof("layout") != "mini_block_layout":
        return b""
    shape, has_dictionary = _shape(data) if len(data) <= _SHORT else _shape.__wrapped__(data)
    return b"" if has_dictionary and _has_dictionary(type_) else shape


@lru_cache(maxsize=256)
def _shape(data: bytes) -> tuple[bytes, bool]:
    """The shape of pages with the layout *data*, and whether they have dictionaries."""
    shape = PageLayout.parse(data).mini_block_layout
    shape.num_items = shape.num_dictionary_items = 0
    if has_symbols(shape):
        shape.value_compression.fsst.ClearField("symbol_table")
    return shape.SerializeToString(), shape.HasField("dictionary")


def _has_dictionary(type_: pa.DataType) -> bool:
    """Whether values of *type_* have Arrow dictionaries, which differ between pages."""
    if pa.types.is_dictionary(type_):
        return True
    return any(_has_dictionary(type_.field(each).type) for each in range(type_.num_fields))
