"""The ends of files that were read before: fragments of a dataset often end with the same bytes.

- All that a tail says follows from its bytes and from the size of the file, so a file of the same
  size that ends with the same bytes has the same tail: footer, schema, and places of pages.
- Only tails without damage are kept, only short ones, and the oldest makes way for a new one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from byteloom_generated.lance.tail import LegacyTail

if TYPE_CHECKING:
    from byteloom.lance.file_tail import FileTail
    from byteloom.lance.tailed_file import TailedFile
    from byteloom.limits import Limits

__all__ = ["keep_tail", "known_tail"]

_MOST: Final = 256
"""Number of tails that are kept."""

_LONGEST: Final = 1 << 14
"""Bytes of a tail that is kept, the metadata of some 100 columns."""

_MOST_LENGTHS: Final = 4
"""Number of lengths that tails are looked up by."""

_tails: dict[tuple[int, bytes], tuple[Limits, FileTail]] = {}
_lengths: list[int] = []
"""Lengths of tails that were kept, the last first."""


def known_tail(file: TailedFile, limits: Limits) -> FileTail | None:
    """Return the tail of *file*, which is shared and must not be changed; None if it is unknown."""
    for length in _lengths:
        found = _tails.get((file.size, file.tail[-length:]))
        if found is not None and found[0] is limits:
            return found[1]
    return None


def keep_tail(file: TailedFile, tail: FileTail, limits: Limits) -> FileTail:
    """Keep a tail that was read, if all it was read from is at the end of *file*; return it."""
    footer = tail.footer
    if isinstance(footer, LegacyTail):
        return tail
    parts = [each.offset for each in (*tail.columns, tail.buffers[0])]
    start = min(*parts, footer.ofs_column_extents, footer.ofs_buffer_extents)
    length = file.size - start
    if start < file.start or length > _LONGEST:
        return tail
    tail = replace(tail, readers={})
    while len(_tails) >= _MOST:
        _tails.pop(next(iter(_tails)), None)
    _tails[file.size, file.tail[-length:]] = limits, tail
    if length not in _lengths:
        _lengths[:] = [length, *_lengths[: _MOST_LENGTHS - 1]]
    return tail
