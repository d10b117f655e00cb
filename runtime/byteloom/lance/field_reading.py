"""The interface of what fields are read by, which all versions share.

- A field is read from its leaves, columns that have values: a struct of two numbers has two.  It
  makes its array of the arrays of its leaves.
- A leaf says which of its pages have some rows, as pieces that `byteloom.lance.decoding` decodes:
  several of one key in one call, whatever the files and columns that they are of.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported, found_by
from byteloom.lance.arrays import rows_at
from byteloom.lance.types import width_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.limits import Limits

__all__ = [
    "SMALL_PAGE",
    "FieldReader",
    "FileField",
    "FirstRows",
    "InMemory",
    "Leaf",
    "OwnLeaf",
    "PagesFile",
    "Piece",
    "Rows",
    "joined",
    "made_of",
    "repeats",
    "value_size",
]

Rows: TypeAlias = "range | np.ndarray"
"""Rows by their numbers: a range, or some that ascend."""

SMALL_PAGE: Final = 1 << 18
"""Bytes of a page whose fixed cost is about that of decoding it."""

_TEXT: Final = 16
"""Bytes of a value of any length, about."""


class Piece(NamedTuple):
    """Rows of a leaf that are decoded at a time.

    Attributes:
        number: What their leaf knows them by: the number of a page.
        first: The number of the first row in the leaf.
        length: How many rows there are.
        rows: Their numbers in the page, which ascend; None for rows that follow one another.
        key: Pieces with the same one may be decoded together; None for one that is decoded alone.
        size: Bytes that are read for them, about.
        weight: Bytes that they have in memory, about.
    """

    leaf: Leaf
    number: int
    first: int
    length: int
    rows: np.ndarray | None
    key: Hashable
    size: int
    weight: int


class Leaf(Protocol):
    """A column that has values.

    Attributes:
        type: The type of its arrays.
        source: Its file; None for one whose values come from elsewhere.
        file_name: The name of the file in errors; None if it has none.
    """

    @property
    def type(self) -> pa.DataType:
        """The type of its arrays."""

    @property
    def source(self) -> BufferedFile | None:
        """Its file."""

    @property
    def file_name(self) -> str | None:
        """The name of the file in errors."""

    @property
    def width(self) -> int:
        """Bytes of a row in memory, about."""

    def pieces(self, rows: Rows, end: int | None = None) -> list[Piece]:
        """Return what has to be decoded for *rows*, of which there is at least one.

        Pieces of a range may begin before it and end after it, as their pages do.

        Args:
            end: The row after the last that will be wanted; None for that of a range.
        """

    def ranges(self, piece: Piece) -> Sequence[tuple[int, int]]:
        """Return the offset and size of each range of the file that is read for a piece."""

    def decode(self, pieces: Sequence[Piece]) -> pa.Array:
        """Return the rows of one piece, or of several with one key, in one array.

        Raises:
            FormatError: Pages are damaged.
            Unsupported: An encoding cannot be read.
            LimitExceeded: Pages need more than limits allow.
        """


class PagesFile(Protocol):
    """An open file whose pages are read.

    Attributes:
        data: What reads ranges of it.
        limits: What reading may cost.
        file_name: Its name in errors; None if it has none.
    """

    @property
    def data(self) -> BufferedFile:
        """What reads ranges of the file."""

    @property
    def limits(self) -> Limits:
        """What reading may cost."""

    @property
    def file_name(self) -> str | None:
        """The name of the file in errors."""


class FieldReader(Protocol):
    """A field of a file, or of a fragment.

    Attributes:
        length: Number of rows; of a field inside lists, items.
        leaves: The columns that are decoded for it.
        joins: Whether arrays of leaves of several files may be made into one array of the field.
    """

    @property
    def length(self) -> int:
        """The number of rows."""

    @property
    def leaves(self) -> Sequence[Leaf]:
        """The columns that are decoded for the field."""

    @property
    def joins(self) -> bool:
        """Whether rows of several files may be made into one array."""

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows* of the field, of which *parts* has the array of each leaf."""


class FileField(FieldReader, Protocol):
    """A field of a file, which other files may store alike."""

    def of(self, file: PagesFile) -> FileField:
        """Return the field of another file that has the same metadata."""


class OwnLeaf:
    """A field that is its own leaf."""

    @property
    def leaves(self: Leaf) -> tuple[Leaf]:
        """The one leaf of the field."""
        return (self,)

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return the array of its leaf."""
        del rows
        return parts[0]


class InMemory:
    """A field whose values are in memory."""

    leaves: tuple[Leaf, ...] = ()
    joins = False

    def __init__(self, values: pa.Array, rows: Rows | None = None) -> None:
        """Give the rows of *values*; *rows* are their numbers if these do not count from 0 on."""
        self._values, self._rows = values, range(len(values)) if rows is None else rows
        self.length = int(self._rows[-1]) + 1 if len(values) else 0

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*."""
        del parts
        known = self._rows
        if len(rows) == len(known):
            return self._values
        if not isinstance(known, range):
            return rows_at(self._values, np.searchsorted(known, rows))
        if isinstance(rows, range):
            return self._values.slice(rows.start - known.start, len(rows))
        return rows_at(self._values, rows - known.start)


class FirstRows:
    """The first rows of a field."""

    def __init__(self, reader: FileField, count: int) -> None:
        """Give *count* rows of *reader*."""
        self._reader, self.length = reader, count
        self.leaves, self.joins = reader.leaves, reader.joins

    def of(self, file: PagesFile) -> FirstRows:
        """Return the field of another file that has the same metadata."""
        return FirstRows(self._reader.of(file), self.length)

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        return self._reader.made(parts, rows)


def made_of(
    readers: Sequence[FieldReader], parts: Sequence[pa.Array], rows: Rows
) -> list[pa.Array]:
    """Return *rows* of each of several fields, of which *parts* has the arrays of all leaves."""
    found, at = [], 0
    for each in readers:
        count = len(each.leaves)
        found.append(each.made(parts[at : at + count], rows))
        at += count
    return found


def repeats(length: int, count: int) -> bool:
    """Return whether *length* rows are *count* rows once, or several times.

    Releases before 0.29 wrote all rows of a struct's fields with each slice of the struct.
    """
    return length == count or (count > 0 and length % count == 0)


def value_size(type_: pa.DataType) -> int:
    """Return the bytes of a decoded value of a leaf, about."""
    return -(-width_of(type_) // 8) or _TEXT


def joined(type_: pa.DataType, parts: Sequence[pa.Array]) -> pa.Array:
    """Return arrays of *type_* as one; a single array is returned unchanged.

    Raises:
        Unsupported: Dictionaries have too many items together for the type of their indices.
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
