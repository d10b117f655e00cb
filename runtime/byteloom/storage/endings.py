"""Find where a file ends if bytes that do not belong to it follow.

A format that is read from its end is not recognised if other bytes follow, for instance after an
append.
"""

from __future__ import annotations

from collections.abc import Callable

from byteloom.errors import FormatError, count_of_bytes

__all__ = ["early_end"]


def early_end(  # noqa: PLR0913  where to look, and what for
    path: str,
    size: int,
    tail: bytes,
    magic: bytes,
    is_end: Callable[[int], bool],
    *,
    tries: int | None = None,
) -> FormatError | None:
    """Return the error about bytes after the end of a file; None if no such end is found.

    path    the field that should end the file
    size    size of the file, whose last bytes are *tail*
    magic   the magic that ends a file
    is_end  returns whether a file could end before that place in *tail*
    tries   number of magics to try, beginning with the last one; None for all
    """
    end = len(tail)
    for _ in range(len(tail) if tries is None else tries):
        at = tail.rfind(magic, 0, end - 1)
        if at < 0:
            break
        end = at + len(magic)
        if is_end(end):
            more = len(tail) - end
            found = f"the end of a footer, {count_of_bytes(more)} before the end of the file"
            return FormatError(path, size - more, found, "a footer at the end")
    return None
