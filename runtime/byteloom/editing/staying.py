"""Parts that a number leads elsewhere are read before it changes.

A part that is read on demand is read from the bytes that the record was read from.  When the number
that its position is calculated from follows an edit, these bytes are still where they were.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from byteloom.editing.demands import positions_of
from byteloom.editing.parts import part
from byteloom.editing.sizes import calculated
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from byteloom.editing.numbers import Number
    from byteloom.editing.places import Pairs

__all__ = ["read_where_they_were"]


def read_where_they_were(pairs: Pairs, changes: Collection[tuple[Number, int]]) -> None:
    """Read the parts of all records that are elsewhere with *changes*, made already.

    changes  numbers, and what each was before
    """
    unread = [
        (now, name, formula)
        for _, now, _ in pairs.records
        for name, formula in positions_of(now)
        if getattr(now, type(now).LAZY[name]) is None
    ]
    after = [_position(now, formula) for now, _, formula in unread]
    with _undone(changes):
        for (now, name, formula), position in zip(unread, after, strict=True):
            if _position(now, formula) != position:
                part(now, name)


def _position(record: Any, formula: str) -> int | None:
    try:
        return calculated(record, formula)
    except FormatError:
        return None


@contextmanager
def _undone(changes: Collection[tuple[Number, int]]) -> Iterator[None]:
    """Let numbers be what they were during the block."""
    after = [number.value for number, _ in changes]
    for number, before in changes:
        number.put(before)
    try:
        yield
    finally:
        for (number, _), value in zip(changes, after, strict=True):
            number.put(value)
