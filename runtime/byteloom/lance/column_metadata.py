"""Columns of a Lance file: where the buffers of their pages are, and how they are encoded.

- The metadata of a column is parsed when the column is asked for.
- A column is refused if buffers of its pages are outside of the file, or overlap.

Source: specs/lance/file2.proto
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.wire.varints import uleb128_bytes
from byteloom_generated.lance.file2 import ColumnMetadata, Described, EarlyColumnMetadata

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.limits import Limits
    from byteloom_generated.lance import file2
    from byteloom_generated.lance.tail import Extent

__all__ = [
    "Column",
    "Description",
    "Page",
    "SinglePages",
    "check_size",
    "description",
    "read_columns",
    "read_single_pages",
]

_MAX_ROWS: Final = (1 << 63) - 1


class _Tail(Protocol):
    """What the end of a file says of the places of its columns."""

    @property
    def columns(self) -> Sequence[Extent]:
        """The places of the metadata of columns."""

    @property
    def at(self) -> int:
        """Where the footer begins."""

    @property
    def is_early(self) -> bool:
        """Whether release 0.10.18 wrote the file."""


class Description(NamedTuple):
    """The description of an encoding: a message, and its type.

    type  ``/lance.encodings21.PageLayout``; empty if there is no description
    data  the message
    """

    type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Page:
    """A page: consecutive rows of a column.

    path      its name in errors: ``columns[3].pages[0]``
    at        where the metadata of its column is in the file, for errors
    length    number of rows; in 2.0, of items for a column inside a list
    first     the number of its first row, by the lengths of the pages before it
    priority  the same, as it is stored from 2.1 on; 0 in 2.0
    buffers   offset and size of each of its buffers
    encoding  how it is encoded
    stored    the metadata of its column, for errors
    """

    path: str
    at: int
    length: int
    first: int
    priority: int
    buffers: tuple[tuple[int, int], ...]
    encoding: Description
    stored: bytes = field(default=b"", repr=False, compare=False)

    @property
    def encoding_at(self) -> int:
        """Where the message in `encoding` is in the file."""
        name = f"{self.path.partition('.')[2]}.encoding.direct.encoding"
        try:
            described = ColumnMetadata.place_of(self.stored, name) or 0
            inside = Described.place_of(self.stored[described:], "value") or 0
        except ByteloomError:
            return self.at
        return self.at + described + inside


@dataclass(frozen=True, slots=True)
class Column:
    """A column and its pages.

    number    its number in the file
    path      its name in errors: ``columns[3]``
    at        where its metadata is in the file
    encoding  how it is encoded as a whole
    pages     its rows, some at a time
    """

    number: int
    path: str
    at: int
    encoding: Description
    pages: list[Page]

    @property
    def length(self) -> int:
        """Rows of all its pages."""
        return self.pages[-1].first + self.pages[-1].length if self.pages else 0


@dataclass(frozen=True, slots=True)
class SinglePages:
    """Columns of the same encoding that have one page each, parsed as one message.

    numbers   of the columns
    places    where the metadata of each is in the file
    encoding  how each column is encoded as a whole
    messages  the page of each, of which nothing is checked yet
    stored    the metadata of each
    end       where the footer of the file begins, before which all buffers are
    """

    numbers: Sequence[int]
    places: list[int]
    encoding: Description
    messages: list[file2.Page]
    stored: list[bytes]
    end: int
    limits: Limits

    def column(self, index: int) -> Column:
        """Return the column at *index* among these.

        raises  the errors of `read_columns`
        """
        number, at = self.numbers[index], self.places[index]
        path = f"columns[{number}]"
        pages = [*_pages([self.messages[index]], path, at, self.stored[index], self.limits)]
        column = Column(number, path, at, self.encoding, pages)
        _check_buffers(column, self.end)
        return column


def check_size(number: int, extent: Extent, limits: Limits) -> None:
    """Refuse the metadata of a column that is larger than *limits* allow; `LimitExceeded`."""
    if extent.size > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} bytes (limits.metadata_size)"
        raise LimitExceeded(f"columns[{number}]", extent.offset, extent.size, wanted)


def read_columns(
    file: BufferedFile, tail: _Tail, numbers: Sequence[int], limits: Limits
) -> list[Column]:
    """Return the columns of these *numbers*.

    raises  `FormatError` for damage, `Unsupported` for a description that is stored elsewhere
    """
    found = read_single_pages(file, tail, numbers, limits)
    if isinstance(found, SinglePages):
        return [found.column(index) for index in range(len(numbers))]
    return found


def read_single_pages(
    file: BufferedFile, tail: _Tail, numbers: Sequence[int], limits: Limits
) -> SinglePages | list[Column]:
    """Return the columns of these *numbers*, which are parsed together if all have one page.

    raises  the errors of `read_columns`; where columns are parsed together, making a `Column` does
    """
    extents = [tail.columns[number] for number in numbers]
    for number, each in zip(numbers, extents, strict=True):
        check_size(number, each, limits)
    stored = _read(file, extents)
    pages = _single_pages(stored, limits) if len(stored) > 1 and not tail.is_early else None
    if pages is None:
        return [
            _column(data, number, each.offset, tail, limits)
            for number, each, data in zip(numbers, extents, stored, strict=True)
        ]
    places = [each.offset for each in extents]
    return SinglePages(numbers, places, *pages, stored, tail.at, limits)


def _read(file: BufferedFile, extents: list[Extent]) -> list[bytes]:
    """The bytes of extents; those that follow one another are read as one range."""
    first = extents[0].offset if extents else 0
    at = first
    for each in extents:
        if each.offset != at:
            return file.read_ranges([(each.offset, each.size) for each in extents])
        at += each.size
    data = file.read(first, at - first)
    return [data[each.offset - first : each.offset - first + each.size] for each in extents]


def _single_pages(
    stored: list[bytes], limits: Limits
) -> tuple[Description, list[file2.Page]] | None:
    """The encoding of columns and the page of each, if they are alike: parsed as one message.

    None if columns have different encodings or several pages, and for any damage: each is then
    parsed by itself.
    """
    try:
        first = ColumnMetadata.parse(stored[0], limits=limits)
        encoding = description(first.encoding, "", 0, limits)
        first.ClearField("pages")
        head = first.SerializeToString()
        if not all(each.startswith(head) for each in stored):
            return None
        body = b"".join([each[len(head) :] for each in stored])
        joined = ColumnMetadata.parse(body, limits=limits)
    except ByteloomError:
        return None
    pages = list(joined.pages)
    # In this form a page has as many bytes as it would be written with, after its key and length.
    if len(pages) != len(stored) or joined.SerializeToString() != body:
        return None
    for data, page in zip(stored, pages, strict=True):
        size = page.ByteSize()
        if len(data) != len(head) + 1 + len(uleb128_bytes(size)) + size:
            return None
    return encoding, pages


def _column(data: bytes, number: int, at: int, tail: _Tail, limits: Limits) -> Column:
    path = f"columns[{number}]"
    kind: Any = EarlyColumnMetadata if tail.is_early else ColumnMetadata
    message = kind.parse(data, limits=limits, origin=at, path=path)
    encoding = Description("", b"")
    if not tail.is_early:
        encoding = description(message.encoding, f"{path}.encoding", at, limits)
    pages = [*_pages(message.pages, path, at, data, limits)]
    column = Column(number, path, at, encoding, pages)
    _check_buffers(column, tail.at)
    return column


def _pages(
    stored: Iterable[file2.Page], path: str, at: int, data: bytes, limits: Limits
) -> Iterable[Page]:
    first = 0
    for number, each in enumerate(stored):
        name = f"{path}.pages[{number}]"
        if len(each.buffer_offsets) != len(each.buffer_sizes):
            wanted = f"{len(each.buffer_offsets)}, one for each offset"
            raise FormatError(f"{name}.buffer_sizes", at, len(each.buffer_sizes), wanted)
        buffers = tuple(zip(each.buffer_offsets, each.buffer_sizes, strict=True))
        encoding = description(each.encoding, f"{name}.encoding", at, limits)
        yield Page(name, at, each.length, first, each.priority, buffers, encoding, data)
        first += each.length
        if first > _MAX_ROWS:
            raise FormatError(f"{name}.length", at, first, f"at most {_MAX_ROWS} rows in a column")


def description(stored: file2.Encoding, path: str, at: int, limits: Limits) -> Description:
    """Return the description of an encoding, with an empty type if there is none.

    raises  `Unsupported` for one that is stored elsewhere, `FormatError` for damage
    """
    kind = stored.WhichOneof("location")
    if kind == "direct":
        data = stored.direct.encoding
        try:
            return _known(data, limits)
        except ByteloomError:
            described = Described.parse(data, limits=limits, origin=at, path=path)
            return Description(described.type_url, described.value)
    if kind == "indirect":
        raise Unsupported(path, at, "an encoding stored elsewhere (indirect)", "a direct one")
    return Description("", b"")


@lru_cache(maxsize=256)
def _known(data: bytes, limits: Limits) -> Description:
    """Parse a description, or return the parsed one of an equal message."""
    described = Described.parse(data, limits=limits)
    return Description(described.type_url, described.value)


def _check_buffers(column: Column, end: int) -> None:
    """Refuse buffers that are outside the file or overlap."""
    last = 0
    for offset, size in (buffer for each in column.pages for buffer in each.buffers):
        if offset < last:
            break
        last = offset + size
    else:
        if last <= end:  # they ascend
            return
    found = sorted(
        (offset, offset + size, page, number)
        for page, each in enumerate(column.pages)
        for number, (offset, size) in enumerate(each.buffers)
        if size
    )
    for offset, stop, page, number in found:
        if stop > end:
            path = f"{column.path}.pages[{page}].buffers[{number}]"
            wanted = f"at most {end}, where the footer begins"
            raise FormatError(path, column.at, f"bytes {offset} to {stop}", wanted)
    for (_, stop, *_), (offset, _, page, number) in pairwise(found):
        if offset < stop:
            path = f"{column.path}.pages[{page}].buffers[{number}]"
            wanted = f"at least {stop}, where another buffer of the column ends"
            raise FormatError(path, column.at, offset, wanted)
