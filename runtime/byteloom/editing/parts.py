"""The parts of a record that are read only when asked for, at places of their own."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from byteloom.editing.places import bare
from byteloom.errors import FormatError
from byteloom.wire.members import is_record, stored

if TYPE_CHECKING:
    from byteloom.wire.record import Record

__all__ = ["MISSING", "MOST", "part", "read_all"]

MISSING: Final = object()
"""Stands for a part that cannot be read, or that has no counterpart."""

MOST: Final = 20_000
"""The most parts read for a comparison: references between parts may be circular."""

_DEEPEST: Final = 50
"""Parts in parts that are looked for among others; what is deeper is only compared."""


def part(record: Any, name: str) -> Any:
    """Read the part *name* of *record* on demand; return MISSING if that fails."""
    try:
        return getattr(record, name)
    except FormatError:
        return MISSING


def read_all(record: Record) -> set[str]:
    """Read all parts of *record* that are read on demand, and return their paths.

    Of parts in parts the outer ones: a part may lead to itself, as a pointer to its own place does.
    """
    waiting: deque[tuple[str, Any, int]] = deque([(bare(record.NAME), record, 0)])
    asked: set[str] = set()
    while waiting and len(asked) < MOST:
        path, value, depth = waiting.popleft()
        if isinstance(value, list):
            if value and is_record(value[0]):
                waiting += [(f"{path}[{at}]", each, depth) for at, each in enumerate(value)]
        elif is_record(value):
            for name in stored(value):
                inner = getattr(value, name)
                if isinstance(inner, list) or is_record(inner):  # nothing else has parts
                    waiting.append((f"{path}.{bare(name)}", inner, depth))
            names = type(value).LAZY if depth < _DEEPEST else ()
            parts = [(name, f"{path}.{bare(name)}") for name in names]
            waiting += [(inner, part(value, name), depth + 1) for name, inner in parts]
            asked |= {inner for _, inner in parts}
    return asked
