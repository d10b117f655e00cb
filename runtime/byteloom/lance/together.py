"""Decode small pages of many columns, or of one column in many files, in few calls.

A page has a fixed cost of up to half a millisecond, which is more than decoding a few kilobytes
takes: pages of one layout and type are decoded as if they were one, in all versions from 2.0 on.

- Nothing is refused here: pages with any damage are read one by one, so that errors name the page.
- A scan decodes some pages of a column ahead, but never past the rows that it was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from byteloom.errors import ByteloomError
from byteloom.lance.pages20 import together as together20
from byteloom.lance.pages21 import Leaf21
from byteloom.lance.pages21 import together as together21
from byteloom.lance.pages21.stored import fetch_together

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from byteloom.lance.pages20.leaf import LeafReader
    from byteloom.lance.reading import FieldReader, LeafRows

__all__ = ["decode_together", "joined_rows"]

Members: TypeAlias = "list[together20.Member] | list[together21.Member]"

_MOST_AHEAD: Final = 1 << 24
"""Bytes of decoded pages that a scan keeps of all columns, beyond a page of each."""


def decode_together(wanted: Iterable[LeafRows], *, whole: bool) -> None:
    """Decode small pages of several leaves, each of which keeps the rows of its pages.

    wanted  leaves, each with the first row that it will be asked for, and the row after the last
    whole   whether all pages of these rows will be read; if not, one page of each is decoded at
            most, and only if it has all rows
    """
    leaves = list(wanted)
    room = _MOST_AHEAD // max(len(leaves), 1) if whole else 0
    old: list[tuple[LeafReader, int]] = []
    new: list[tuple[Leaf21, list[int]]] = []
    for leaf, start, stop in leaves:
        if isinstance(leaf, Leaf21):
            numbers = leaf.undecoded(start, stop, room)
            if numbers:
                new.append((leaf, numbers))
        else:
            number = leaf.undecoded(start, start + 1 if whole else stop)
            if number is not None:
                old.append((leaf, number))
    if len(new) > 1 or any(len(numbers) > 1 for _, numbers in new):
        together21.decode_leaves(new, whole=whole)
    if len(old) > 1:
        together20.decode_leaves(old)


def joined_rows(columns: Iterable[Sequence[FieldReader]]) -> list[pa.Array] | None:
    """Return all rows of fields in several files, one array for each; None if that fails.

    columns  for each field its readers in all files, each of which needs one small page
    """
    found: list[tuple[FieldReader, list[Members]]] = []
    for readers in columns:
        members = _members(readers)
        if members is None:
            return None
        found.append((readers[0], members))
    try:
        fetch_together([each.page for _, parts in found for part in parts for each in part])
        arrays = []
        for first, parts in found:
            rows = [_rows(each) for each in parts]
            if any(each is None for each in rows):
                return None
            arrays.append(first.of_leaves(rows))  # type: ignore[attr-defined]
    except ByteloomError:
        return None
    return arrays


def _members(readers: Sequence[FieldReader]) -> list[Members] | None:
    """The pages of each leaf of one field in several files."""
    first = readers[0]
    if not hasattr(first, "of_leaves") or any(type(each) is not type(first) for each in readers):
        return None
    leaves = [[leaf for leaf, _, _ in each.leaves(0, each.length)] for each in readers]  # type: ignore[attr-defined]
    if len({len(each) for each in leaves}) > 1 or not leaves[0]:
        return None
    found = [_alike(each) for each in zip(*leaves, strict=True)]
    return None if any(each is None for each in found) else [each for each in found if each]


def _alike(leaves: Sequence[Leaf21 | LeafReader]) -> Members | None:
    new = [each for each in leaves if isinstance(each, Leaf21)]
    if len(new) == len(leaves):
        return together21.members_of(new)
    old = [each for each in leaves if not isinstance(each, Leaf21)]
    return together20.members_of(old) if len(old) == len(leaves) else None


def _rows(members: Members) -> pa.Array | None:
    new = [each for each in members if isinstance(each, together21.Member)]
    if new:
        return together21.rows_of(new)
    return together20.rows_of([each for each in members if isinstance(each, together20.Member)])
