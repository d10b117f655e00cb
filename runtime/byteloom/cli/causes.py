"""Findings of one cause, shown once and counted.

The rules:

- Findings that differ only in numbers, values and files are of one cause.
- So are findings about several fields of one record that contradict the same other record, as all
  sums do where one entry is wrong.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.errors import ByteloomError

__all__ = ["folded"]

_VALUE: Final = re.compile(r"'[^']*'|0x[0-9a-f]+|[0-9]+")
_FILE: Final = re.compile(r"\S*/[^\s/.]*(\.\w+)?")
"""A file's path with its ending; what follows is a field of it."""

_OTHER: Final = re.compile(r", as (its|the|another) ")
"""The end of what is wanted of a field that has to agree with another record."""


def folded(first: ByteloomError | None, more: Sequence[ByteloomError]) -> list[str]:
    """Return a line for each finding after the first; those of one cause are counted."""
    lines = []
    for found in _by_cause([*([] if first is None else [first]), *more]):
        if found[0] is not first:
            lines.append(str(found[0]))
        if len(found) > 1:
            lines.append(f"  and {len(found) - 1:,} more like it")
    return lines


def _by_cause(errors: Iterable[ByteloomError]) -> list[list[ByteloomError]]:
    """Findings in groups of one cause each, in the order of the first of each group."""
    groups: dict[int, list[ByteloomError]] = {}
    group_of: dict[tuple[Any, ...], int] = {}
    for number, error in enumerate(errors):
        keys = [_shape(error), *_contradiction(error)]
        known = sorted({group_of[key] for key in keys if key in group_of})
        into = known[0] if known else number
        held = groups.setdefault(into, [])
        for other in known[1:]:
            held += groups.pop(other)
            group_of.update({key: into for key, of in group_of.items() if of == other})
        held.append(error)
        group_of.update(dict.fromkeys(keys, into))
    return list(groups.values())


def _contradiction(error: ByteloomError) -> Iterator[tuple[Any, ...]]:
    """Yield what fields of one record that contradict another record have in common."""
    if isinstance(error, FormatError) and _OTHER.search(str(error.wanted)):
        yield error.path.rpartition(".")[0], _VALUE.sub("#", str(error.wanted))


def _shape(error: ByteloomError) -> tuple[Any, ...]:
    """What findings of one cause have in common: their text without numbers, values and files."""
    path, wanted = getattr(error, "path", str(error)), getattr(error, "wanted", "")
    return type(error), *(_VALUE.sub("#", _FILE.sub("/", text)) for text in (path, wanted))
