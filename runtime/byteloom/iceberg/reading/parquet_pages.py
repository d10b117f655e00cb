"""What the text of a Parquet file comes to by its page headers, whatever the footer says.

The rules:

- Pages are walked by their headers before they are decoded.  The library holds one of a column at a
  time, so each may come to no more than limits allow; all together may come to anything.
- A code of a dictionary costs no byte, the text that it stands for does: rows are as large as if
  each value had the longest text of its dictionary, or what values come to in the densest page.
- A row of a list has as many values as rows of its row group have on average.
- Of files in a store the footer counts, and chunks are walked that say that they grow to far more
  than the file: a header would be a request, and those few bytes are one.

Source: https://github.com/apache/parquet-format, ``parquet.thrift``, ``PageHeader``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded
from byteloom.storage.sources import LocalSource
from byteloom.wire.varints import signed, uleb128

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["row_bytes"]

_HEAD: Final = 128
"""Bytes of most page headers, at most; those with long bounds are read again."""

_DICTIONARY_PAGE: Final = 2
_SHORT: Final = 512
"""Bytes of a dictionary whose entries no batch has to be made smaller for."""

_FLAGS: Final = frozenset({1, 2})
_NUMBERS: Final = frozenset({4, 5, 6})
_BINARY, _STRUCT = 8, 12
_ONE_BYTE: Final = 1 << 7
_LONGEST: Final = 10
_PACKED: Final = 3
"""The field with a page's bytes in the file, the last of those wanted."""

_DATA_HEADERS: Final = ([5], [8])
"""The fields with what is said of data pages of versions 1 and 2; their first is the values."""

_PLAIN: Final = "UNCOMPRESSED"


def row_bytes(
    source: Source, metadata: Any, leaves: Iterable[int], group: int, limits: Limits
) -> tuple[int, int]:
    """Return the bytes of a row's text by the dictionaries of a row group, and by its other pages.

    metadata       the footer, as pyarrow has read it
    leaves         those that are read; numbers are passed over where the footer is content
    LimitExceeded  a page, or a row on average, of more than limits allow
    FormatError    a page header that is damaged
    """
    row_group, coded, plain = metadata.row_group(group), 0, 0
    vast = limits.decompressed_size + limits.expansion * source.size
    for leaf in leaves:
        column, chunk = metadata.schema.column(leaf), row_group.column(leaf)
        fixed = column.length if column.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0
        is_text = column.physical_type == "BYTE_ARRAY" or fixed > _SHORT
        is_walked = is_text and isinstance(source, LocalSource)
        if not is_walked and chunk.total_uncompressed_size <= vast:
            continue
        where = f"row_groups[{group}].columns[{leaf}]"
        entry, dense = _longest_values(source, chunk, where, limits)
        entry = max(entry, fixed)
        longest = max(entry, dense)
        values = max(1, -(-chunk.num_values // max(row_group.num_rows, 1)))
        if values > 1 and values * longest > limits.decompressed_size:
            found = f"{values} values a row of up to {longest} bytes each"
            wanted = f"at most {limits.decompressed_size} bytes (limits.decompressed_size)"
            raise LimitExceeded(where, None, found, wanted)
        coded, plain = coded + values * entry, plain + values * dense
    return coded, plain


def _longest_values(source: Source, chunk: Any, where: str, limits: Limits) -> tuple[int, int]:
    """The bytes of the longest value in a dictionary, and of any in the densest other page."""
    longest = dense = 0
    for kind, raw, packed, at, values in _pages(source, chunk, where):
        if raw > limits.decompressed_size:
            wanted = f"at most {limits.decompressed_size} (limits.decompressed_size)"
            raise LimitExceeded(where, at, f"a page of {raw} bytes", wanted)
        if kind != _DICTIONARY_PAGE:
            dense = max(dense, raw // max(values, 1))
        elif raw > _SHORT:
            longest = max(longest, _longest(source.read(at, packed), raw, chunk.compression))
    return longest, dense


def _pages(source: Source, chunk: Any, where: str) -> Iterator[tuple[int, int, int, int, int]]:
    """The type, bytes decompressed and packed, place and values of each page of a chunk."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
        at = chunk.dictionary_page_offset
    first, end = at, min(at + chunk.total_compressed_size, source.size)
    held = None if isinstance(source, LocalSource) else source.read(at, end - at)
    while at < end:
        room = _HEAD
        while True:
            size = min(room, end - at)
            data = source.read(at, size) if held is None else held[at - first : at - first + size]
            if (head := _head(data)) is not None or room >= end - at:
                break
            room *= 16
        if head is None or head[2] > end - at - head[3]:
            return  # what is left is no page, or is cut short, which the library notices
        if min(head) < 0:
            raise FormatError(where, at, "a damaged page header", "type and sizes of a page")
        kind, raw, packed, size, values = head
        yield kind, raw, packed, at + size, values
        at += size + packed


def _head(data: bytes) -> tuple[int, ...] | None:  # noqa: C901  a call a field would cost more
    """The type of a page, its bytes decompressed and packed, its header's, and its values.

    None if it is cut short, or empty; below 0 where it is damaged: a header has numbers, and
    structs of numbers, flags and bounds.
    """
    numbers = [0, -1, -1, -1]
    outer: list[int] = []
    at, number, end = 0, 0, len(data)
    try:
        while True:
            step, kind = data[at] >> 4, data[at] & 0xF
            at += 1
            if not kind:
                if not outer:
                    return (*numbers[1:], at, numbers[0]) if at > 1 else None
                number = outer.pop()
                continue
            if not step:
                return -1, -1, -1, at, 0
            number += step
            if kind in _NUMBERS or kind == _BINARY:
                value, at = (data[at], at + 1) if data[at] < _ONE_BYTE else uleb128(data, at, end)
                if kind == _BINARY:
                    at += value
                if not outer and number <= _PACKED:
                    numbers[number] = signed(value)
                elif number == 1 and outer in _DATA_HEADERS:
                    numbers[0] = signed(value)
            elif kind == _STRUCT:
                outer.append(number)
                number = 0
            elif kind not in _FLAGS:
                return -1, -1, -1, at, 0
    except IndexError:
        return None
    except ValueError:  # a number that is cut short, or has more than 64 bits
        return None if end - at < _LONGEST else (-1, -1, -1, at, 0)


def _longest(data: bytes, raw: int, codec: str) -> int:
    """The bytes of the longest entry of a dictionary page."""
    from byteloom.kernels.parquet_texts import longest_text

    if codec != _PLAIN:
        name = {"LZ4": "lz4_raw"}.get(codec, codec.lower())
        try:
            data = pa.decompress(data, raw, name, asbytes=True)
        except (pa.ArrowException, OSError, ValueError):
            return raw  # whoever reads the page says what is wrong with it
    return int(longest_text(np.frombuffer(data, np.uint8)))
