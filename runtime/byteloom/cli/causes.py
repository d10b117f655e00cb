"""Group findings by cause: each cause is shown once, and counted.

The rules:

- Findings that differ only in numbers, values and files have one cause.
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
"""The end of `wanted` in errors about fields that must agree with another record."""


def folded(first: ByteloomError | None, more: Sequence[ByteloomError]) -> list[str]:
    """Return a line for each cause of the findings after the first, with their number."""
    lines = []
    for found in _by_cause([*([] if first is None else [first]), *more]):
        if found[0] is not first:
            lines.append(str(found[0]))
        if len(found) > 1:
            lines.append(f"  and {len(found) - 1:,} more like it")
    return lines


def _by_cause(errors: Iterable[ByteloomError]) -> list[list[ByteloomError]]:
    """Group findings by cause, in the order of the first finding of each."""
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
    """Yield the part that is common to findings about fields that contradict one other record."""
    if isinstance(error, FormatError) and _OTHER.search(str(error.wanted)):
        yield error.path.rpartition(".")[0], _VALUE.sub("#", str(error.wanted))


def _shape(error: ByteloomError) -> tuple[Any, ...]:
    """Return the text of a finding without numbers, values and files: equal for one cause."""
    path, wanted = getattr(error, "path", str(error)), getattr(error, "wanted", "")
    return type(error), *(_VALUE.sub("#", _FILE.sub("/", text)) for text in (path, wanted))
