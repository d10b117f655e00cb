"""What the text of a Parquet file comes to by its page headers, whatever the footer says.

The rules:

- Pages are walked by their headers before they are decoded: each, and all together, may come to no
  more than limits allow.
- A code of a dictionary costs no byte, the text that it stands for does: as many rows are read at a
  time as are within a budget if each had the longest text of its dictionary.
- Files in a store are not walked: a header would be a request.

Source: https://github.com/apache/parquet-format, ``parquet.thrift``, ``PageHeader``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["longest_texts"]

_HEAD: Final = 128
"""Bytes of most page headers, at most; those with long bounds are read again."""

_DICTIONARY_PAGE: Final = 2
_SHORT: Final = 512
"""Bytes of a dictionary whose entries no batch has to be made smaller for."""

_FLAGS: Final = frozenset({1, 2})
_NUMBERS: Final = frozenset({4, 5, 6})
_BINARY, _STRUCT = 8, 12
_WIDTH: Final = 63
_PACKED: Final = 3
"""The field with a page's bytes in the file, the last of those wanted."""

_PLAIN: Final = "UNCOMPRESSED"


def longest_texts(
    source: Source, metadata: Any, leaves: Iterable[int], groups: Iterable[int], limits: Limits
) -> int:
    """Return the bytes that a row has at most in the text columns kept as codes.

    metadata       the footer, as pyarrow has read it
    leaves         those that are read; numbers are passed over
    groups         the row groups that are read
    LimitExceeded  pages that decompress to more than limits allow
    FormatError    a page header that is damaged
    """
    if not isinstance(source, LocalSource):
        return 0
    texts = [each for each in leaves if metadata.schema.column(each).physical_type == "BYTE_ARRAY"]
    longest = dict.fromkeys(texts, 0)
    most, total = limits.decompressed_size + limits.expansion * source.size, 0
    for group in groups if texts else ():
        row_group = metadata.row_group(group)
        for leaf in texts:
            where = f"row_groups[{group}].columns[{leaf}]"
            for kind, raw, at, packed in _pages(source, row_group.column(leaf), where):
                total += raw
                if raw > limits.decompressed_size:
                    wanted = f"at most {limits.decompressed_size} (limits.decompressed_size)"
                    raise LimitExceeded(where, at, f"a page of {raw} bytes", wanted)
                if total > most:
                    wanted = f"at most {most} (limits.decompressed_size and limits.expansion)"
                    raise LimitExceeded(where, at, f"pages of {total} bytes", wanted)
                if kind == _DICTIONARY_PAGE and raw > _SHORT:
                    codec = row_group.column(leaf).compression
                    found = _longest(source.read(at, packed), raw, codec)
                    longest[leaf] = max(longest[leaf], found)
    return sum(longest.values())


def _pages(source: Source, chunk: Any, where: str) -> Iterator[tuple[int, int, int, int]]:
    """The type, decompressed bytes, place and bytes of each page of a chunk."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
        at = chunk.dictionary_page_offset
    end = min(at + chunk.total_compressed_size, source.size)
    while at < end:
        room = _HEAD
        while (head := _head(source.read(at, min(room, end - at)))) is None and room < end - at:
            room *= 16
        if head is None or head[2] > end - at - head[3]:
            return  # what is left is no page, or is cut short, which the library notices
        if min(head) < 0:
            raise FormatError(where, at, "a damaged page header", "type and sizes of a page")
        kind, raw, packed, size = head
        yield kind, raw, at + size, packed
        at += size + packed


def _head(data: bytes) -> tuple[int, ...] | None:  # noqa: C901  a call a field would cost more
    """The type of a page, its bytes decompressed and packed, and its header's.

    None if it is cut short, or empty; below 0 where it is damaged: a header has numbers, and
    structs of numbers, flags and bounds.
    """
    numbers = [-1, -1, -1, -1]
    outer: list[int] = []
    at = number = 0
    try:
        while True:
            step, kind = data[at] >> 4, data[at] & 0xF
            at += 1
            if not kind:
                if not outer:
                    return (*numbers[1:], at) if at > 1 else None
                number = outer.pop()
                continue
            if not step:
                return -1, -1, -1, at
            number += step
            if kind in _NUMBERS or kind == _BINARY:
                value = shift = 0
                while (byte := data[at]) >= 0x80:  # noqa: PLR2004
                    value |= (byte & 0x7F) << shift
                    at, shift = at + 1, shift + 7
                    if shift > _WIDTH:
                        return -1, -1, -1, at
                value |= byte << shift
                at += 1 if kind in _NUMBERS else 1 + value
                if not outer and number <= _PACKED:
                    numbers[number] = (value >> 1) ^ -(value & 1)
            elif kind == _STRUCT:
                outer.append(number)
                number = 0
            elif kind not in _FLAGS:
                return -1, -1, -1, at
    except IndexError:
        return None


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
