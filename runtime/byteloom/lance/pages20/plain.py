"""Rows of version 2.0 that are stored as Arrow has them, read where they are wanted.

Values of many pages are read into one array; any rows of a page may be read, by several threads.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.errors import Truncated, count_of_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.lance.column_metadata import Page
    from byteloom.lance.pages20.together import Form
    from byteloom.storage import Source

__all__ = ["plain_rows"]

_BYTE: Final = 8

Part = tuple["Page", "Form", int, int]
"""A page, its form, and the range of its rows that is wanted."""


def plain_rows(
    source: Source, parts: Sequence[Part], type_: pa.DataType, first: int
) -> list[tuple[int, pa.Array]]:
    """Return rows of pages of a local file, in few arrays, each with the number of its first row.

    parts    of pages whose values have one width, of whole bytes, and no other form
    first    the number of the first row
    raises   `Truncated` for buffers that are too short
    """
    found = []
    for group in _groups(parts):
        rows = _rows(source, group, type_)
        found.append((first, rows))
        first += len(rows)
    return found


def _groups(parts: Sequence[Part]) -> Iterator[Sequence[Part]]:
    """Yield parts whose values are read into one array: bitmaps of pages are not joined."""
    first = 0
    for number, (_, form, _, _) in enumerate(parts):
        if number > first and (form.validity >= 0 or parts[first][1] != form):
            yield parts[first:number]
            first = number
    yield parts[first:]


def _rows(source: Source, parts: Sequence[Part], type_: pa.DataType) -> pa.Array:
    page, form, start, stop = parts[0]
    width = form.bits // _BYTE
    if form.validity < 0:
        places = [_place(each[0], form.values, each[2] * width, each[3] * width) for each in parts]
        count = sum([each[3] - each[2] for each in parts])
        return pa.Array.from_buffers(type_, count, [None, _filled(source, places)], 0)
    base = start // _BYTE * _BYTE
    values = _filled(source, [_place(page, form.values, base * width, stop * width)])
    bits = _place(page, form.validity, base // _BYTE, -(-stop // _BYTE))
    buffers = [_filled(source, [bits]), values]
    return pa.Array.from_buffers(type_, stop - base, buffers).slice(start - base)


def _place(page: Page, number: int, start: int, stop: int) -> tuple[int, int]:
    """The offset and size of a range of bytes of a buffer."""
    offset, size = page.buffers[number]
    if stop > size:
        path = f"{page.path}.buffers[{number}]"
        raise Truncated(path, offset, count_of_bytes(size), f"at least {count_of_bytes(stop)}")
    return offset + start, stop - start


def _filled(source: Source, places: Sequence[tuple[int, int]]) -> pa.Buffer:
    """The bytes of ranges of a file, one after the other, in Arrow's memory."""
    out = pa.allocate_buffer(sum([size for _, size in places]))
    view, at = memoryview(out), 0
    read_into: Callable[[int, Any], None] = source.read_into  # type: ignore[attr-defined]
    for offset, size in places:
        read_into(offset, view[at : at + size])
        at += size
    return out
