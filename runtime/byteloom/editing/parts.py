"""The parts of a record that are read only when asked for, at places of their own."""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from byteloom.editing.alignment import aligned
from byteloom.errors import FormatError
from byteloom.wire.members import is_record, stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.wire.record import Record

__all__ = ["MISSING", "MOST", "part", "parts_read"]

MISSING: Final = object()
"""Stands for a part that cannot be read, or that has no counterpart."""

MOST: Final = 20_000
"""The most parts read for a comparison: references between parts may be circular."""


def part(record: Any, name: str) -> Any:
    """Read the part *name* of *record* on demand; return MISSING if that fails."""
    try:
        return getattr(record, name)
    except FormatError:
        return MISSING


@contextmanager
def parts_read(record: Record, as_read: Record | None) -> Iterator[None]:
    """Read all parts of *record* that no edit affects, and drop them at the end of the block."""
    read: list[tuple[Any, str]] = []
    waiting: deque[tuple[Any, Any]] = deque([(record, as_read or MISSING)])
    while waiting and len(read) < MOST:
        now, was = waiting.popleft()
        if is_record(now):
            twin = was if type(was) is type(now) else MISSING
            for name in stored(now):
                waiting.append((getattr(now, name), getattr(twin, name, MISSING)))
            for name, hidden in type(now).LAZY.items():
                is_there = getattr(now, hidden) is not None
                value, before = (
                    part(now, name),
                    part(twin, name) if twin is not MISSING else MISSING,
                )
                if not is_there and value is not MISSING:
                    if before is not MISSING and value != before:
                        setattr(now, hidden, None)
                        continue
                    read.append((now, hidden))
                waiting.append((value, before))
        elif isinstance(now, list | tuple) and any(is_record(each) for each in now[:1]):
            partners = aligned(now, was) if isinstance(was, list) else [None] * len(now)
            waiting += [
                (each, MISSING if index is None else was[index])
                for each, index in zip(now, partners, strict=True)
            ]
    try:
        yield
    finally:
        for owner, hidden in read:
            setattr(owner, hidden, None)
