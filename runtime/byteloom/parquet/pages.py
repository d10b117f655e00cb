"""Read the headers of a Parquet file's pages, one after the other, without decompressing pages.

The rules:

- A header has numbers, flags, bounds and structs of these; anything else is damage.
- Headers of the common form are read by a regular expression, in a third of the time that field by
  field takes; a scan reads the header of every page of its columns.

Source: https://github.com/apache/parquet-format, ``parquet.thrift``, ``PageHeader``; Apache Thrift,
``thrift-compact-protocol.md``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import FormatError
from byteloom.kernels.parquet_structs import numbers
from byteloom.storage.sources import LocalSource
from byteloom.wire.varints import signed, uleb128
from byteloom_generated.parquet.footers import (
    DATA_PAGE_HEADER,
    DATA_PAGE_HEADER_V2,
    DICTIONARY_PAGE_HEADER,
    PAGE_HEADER,
    PAGE_TYPES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.storage.native import Readable

__all__ = [
    "DATA_PAGE",
    "DATA_PAGE_V2",
    "DICTIONARY_PAGE",
    "STRUCTS",
    "Page",
    "chunk_range",
    "header_fields",
    "pages",
]

DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = _KINDS = numbers(
    PAGE_TYPES, "DATA_PAGE", "DICTIONARY_PAGE", "DATA_PAGE_V2"
)
STRUCTS: Final = dict(
    zip(
        _KINDS,
        numbers(PAGE_HEADER, "data_page_header", "dictionary_page_header", "data_page_header_v2"),
        strict=True,
    )
)
"""For each type of page, the number of the field of `PageHeader` that describes such a page."""

_TABLES: Final = (DATA_PAGE_HEADER, DICTIONARY_PAGE_HEADER, DATA_PAGE_HEADER_V2)
_ENCODING: Final = {
    kind: numbers(table, "encoding")[0] for kind, table in zip(_KINDS, _TABLES, strict=True)
}
"""The fields in that struct with the number of values (the first field) and their encoding."""

_KIND, _RAW, _PACKED = numbers(
    PAGE_HEADER, "type", "uncompressed_page_size", "compressed_page_size"
)

_HEAD: Final = 128
"""Bytes that suffice for most page headers; those with longer bounds are read again."""

_SHORT: Final = 1 << 15
"""Bytes of a column chunk that are read in the time that two reads of headers take."""

_BOUND: Final = 64
"""Most bytes of a bound in a header of the common form."""

_FLAGS: Final = (1, 2)
_NUMBERS: Final = (4, 5, 6)
_BINARY, _STRUCT = 8, 12
_NESTING: Final = 4
_LONGEST: Final = 10
"""Most bytes of a number."""


class Page(NamedTuple):
    """The properties of one page.

    kind      `DATA_PAGE`, `DICTIONARY_PAGE`, `DATA_PAGE_V2` or another number
    raw       its decompressed size, by its header
    packed    its size in the file
    header    offset of its header in the file
    start     offset of its content
    values    number of values; 0 if it is not a data or dictionary page
    encoding  number of their encoding; -1 if it is not a data or dictionary page
    """

    kind: int
    raw: int
    packed: int
    header: int
    start: int
    values: int
    encoding: int


def pages(source: Readable, chunk: Any, where: str) -> Iterator[Page]:
    """Yield the pages of a column chunk.

    source       the file; if it is not local, or the chunk is short, the chunk is read whole
    chunk        pyarrow's metadata of the chunk
    where        the name of the chunk in errors
    FormatError  a damaged header
    """
    at, length = chunk_range(chunk)
    first, end = at, min(at + length, source.size)
    is_long = isinstance(source, LocalSource) and end - at > _SHORT
    held = None if is_long else source.read(at, max(end - at, 0))
    while at < end:
        room = _HEAD
        while True:
            size = min(room, end - at)
            data = source.read(at, size) if held is None else held[at - first : at - first + size]
            if (head := _head(data)) is not None or room >= end - at:
                break
            room *= 16
        if head is None or head[2] > end - at - head[3]:
            return  # the rest is not a page, or cut short, which the library notices
        kind, raw, packed, size, values, encoding = head
        if min(kind, raw, packed, values) < 0:
            raise FormatError(where, at, "a damaged page header", "type and sizes of a page")
        yield Page(kind, raw, packed, at, at + size, values, encoding)
        at += size + packed


def chunk_range(chunk: Any) -> tuple[int, int]:
    """Return the offset and the size of a column chunk, according to the footer."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
        at = chunk.dictionary_page_offset
    return at, chunk.total_compressed_size


def _any(*kinds: int) -> bytes:
    """Return an expression for any field of these types."""
    return b"[%b]" % b"".join(
        re.escape(bytes([step << 4 | kind])) for kind in kinds for step in range(1, 16)
    )


def _common(kind: int) -> re.Pattern[bytes]:
    """Return an expression for the usual headers of a page type: sizes, values, encoding."""
    number = rb"[\x80-\xff]{0,9}+[\x00-\x7f]"
    bounds = b"|".join(re.escape(bytes([size])) + b".{%d}" % size for size in range(_BOUND))
    field = b"%b%b|%b|%b(?:%b)" % (_any(*_NUMBERS), number, _any(*_FLAGS), _any(_BINARY), bounds)
    inside = b"(?:%b|%b(?:%b)*+\x00)*+\x00" % (field, _any(_STRUCT), field)
    step = STRUCTS[kind] - _PACKED
    opened = b"(?:%b|\x15%b%b)" % (
        re.escape(bytes([step << 4 | _STRUCT])),
        number,
        re.escape(bytes([step - 1 << 4 | _STRUCT])),
    )
    between = b"\x15%b" % number * (_ENCODING[kind] - 2)
    said = b"\x15(%b)%b\x15(%b)" % (number, between, number)
    sizes = b"\x15%b\x15(%b)\x15(%b)" % (bytes([kind << 1]), number, number)
    return re.compile(sizes + opened + said + inside + b"\x00", re.DOTALL)


_COMMON: Final = {kind << 1: _common(kind) for kind in STRUCTS}


def _head(data: bytes) -> tuple[int, int, int, int, int, int] | None:
    """Return a page header's fields: type, raw and packed size, own size, values, encoding.

    None if it is cut short or empty; in a damaged header some fields are below 0.
    """
    pattern = _COMMON.get(data[1]) if len(data) > 1 else None
    if pattern is not None and (found := pattern.match(data)) is not None:
        raw, packed, values, encoding = map(_zigzag, found.groups())
        return data[1] >> 1, raw, packed, found.end(), values, encoding
    try:
        fields, at = header_fields(data)
    except IndexError:
        return None
    except ValueError:
        return -1, -1, -1, 1, 0, -1
    if at == 1:
        return None
    kind = fields.get(_KIND, -1)
    said = fields.get(-STRUCTS.get(kind, 0), {})
    values, encoding = said.get(1, 0), said.get(_ENCODING.get(kind, -1), -1)
    return kind, fields.get(_RAW, -1), fields.get(_PACKED, -1), at, values, encoding


@lru_cache(maxsize=1024)
def _zigzag(digits: bytes) -> int:
    """Return the integer that *digits* encode in zigzag form."""
    return signed(uleb128(digits, 0, len(digits))[0])


def header_fields(data: bytes, at: int = 0, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Return the numbers of a struct by their fields, and where it ends.

    Structs inside it are dicts of the same kind, under their negated field numbers.

    IndexError  it is cut short
    ValueError  it is damaged
    """
    found: dict[int, Any] = {}
    number = 0
    while True:
        step, kind = data[at] >> 4, data[at] & 0xF
        at += 1
        if not kind:
            return found, at
        if not step or depth > _NESTING:
            raise ValueError(number)
        number += step
        if kind in _NUMBERS or kind == _BINARY:
            if len(data) - at < _LONGEST and all(each & 0x80 for each in data[at:]):
                raise IndexError(at)
            value, at = uleb128(data, at, len(data))
            if kind == _BINARY:
                at += value
            else:
                found[number] = signed(value)
        elif kind == _STRUCT:
            found[-number], at = header_fields(data, at, depth + 1)
        elif kind not in _FLAGS:
            raise ValueError(number)
