"""The interface of the readers of fields, which all versions share.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol, TypeAlias

import pyarrow as pa

from byteloom.errors import Unsupported, found_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np

    from byteloom.lance.pages20.leaf import LeafReader
    from byteloom.lance.pages21 import Leaf21
    from byteloom.lance.reader import LanceFile

__all__ = [
    "FieldReader",
    "LeafPages",
    "LeafRows",
    "ReaderForm",
    "end_of",
    "end_of_page",
    "first_rows",
    "joined",
    "leaves_of",
    "repeats",
    "starts_of",
]

LeafRows: TypeAlias = "tuple[Leaf21 | LeafReader, int, int]"
"""A leaf, the first of some rows, and the row after the last."""

LeafPages: TypeAlias = "tuple[Leaf21, list[int]]"
"""A leaf, and the numbers of some of its pages."""


class FieldReader(Protocol):
    """A field of a file.

    length  number of rows; of a field inside lists, items
    starts  rows at which reading may begin without decoding a page twice; ascending from 0
    """

    @property
    def length(self) -> int:
        """The number of rows."""

    @property
    def starts(self) -> list[int]:
        """Rows at which a page begins."""

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""


def end_of(reader: FieldReader, start: int) -> int:
    """Return the row up to which rows from *start* on are decoded together."""
    found = getattr(reader, "end_of", None)
    return end_of_page(reader, start) if found is None else int(found(start))


def end_of_page(reader: FieldReader, start: int) -> int:
    """Return the row up to which a page has rows from *start* on."""
    starts = reader.starts
    after = bisect_right(starts, start)
    return starts[after] if after < len(starts) else reader.length


def repeats(length: int, count: int) -> bool:
    """Return whether *length* rows are *count* rows once, or several times.

    Releases before 0.29 wrote all rows of a struct's fields with each slice of the struct.
    """
    return length == count or (count > 0 and length % count == 0)


def first_rows(reader: FieldReader, count: int) -> FieldReader:
    """Return a reader of the first rows of a field."""
    return reader if reader.length == count else _FirstRows(reader, count)


class _FirstRows:
    """The first rows of a field."""

    def __init__(self, reader: FieldReader, count: int) -> None:
        self._reader, self.length = reader, count
        self.starts = [each for each in reader.starts if each < count] or [0]

    def leaves(self, start: int, stop: int) -> Iterator[LeafRows]:
        yield from leaves_of([self._reader], start, stop)

    def end_of(self, start: int) -> int:
        return min(end_of(self._reader, start), self.length)

    def read(self, start: int, stop: int) -> pa.Array:
        return self._reader.read(start, stop)

    def take(self, rows: np.ndarray) -> pa.Array:
        return self._reader.take(rows)


class ReaderForm(Protocol):
    """What readers of one field in several files share."""

    def of(self, file: LanceFile) -> FieldReader:
        """Return the reader in *file*, which has the metadata that this was made from."""


def leaves_of(readers: Iterable[FieldReader], start: int, stop: int) -> Iterator[LeafRows]:
    """Yield the leaves that read these rows of fields, if they may be decoded with others."""
    for each in readers:
        found = getattr(each, "leaves", None)
        if found is not None:
            yield from found(start, stop)


def starts_of(readers: list[FieldReader]) -> list[int]:
    """Return the starts of several fields together."""
    return sorted({0, *(start for each in readers for start in each.starts)})


def joined(type_: pa.DataType, parts: list[pa.Array]) -> pa.Array:
    """Return arrays of *type_* as one; a single array is returned unchanged.

    raises  `Unsupported` for dictionaries with too many items together for the type of their
            indices
    """
    if not parts:
        return pa.array([], type_)
    if len(parts) == 1:
        return parts[0]
    try:
        return pa.concat_arrays(parts)
    except pa.ArrowInvalid as error:
        found = found_by("pages that do not fit into one array", error)
        raise Unsupported("values", None, found, f"arrays of {type_} that do") from error
