"""Find the pages of column chunks by their headers.

- Anything unusual ends the loop: such a file is read by itself, which reports what is wrong.
- Lengths come from files: each is checked against the remaining bytes before it is used.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.parquet_structs import END, layout, numbers, take_struct
from byteloom.native.kernel import kernel
from byteloom_generated.parquet.footers import CODECS, PAGE_HEADER

__all__ = ["DATA_PAGE_V2", "DICTIONARY_PAGE", "PAGE_FIELDS", "ZSTD", "find_pages"]

word: Any = np.int64

PAGE_FIELDS: Final = 8
"""Fields of a page: its chunk, the number of the field with its header, the range of that, the
range of
its bytes, how many of them are never compressed, its size when decompressed."""

(ZSTD,) = numbers(CODECS, "ZSTD")
_DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = numbers(
    PAGE_HEADER, "data_page_header", "dictionary_page_header", "data_page_header_v2"
)

_SLOTS: Final = 16
_RAW, _STORED, _CRC, _DEFINITIONS, _REPETITIONS, _IS_COMPRESSED, _FIRST = range(1, 8)
_HEADER: Final = layout(
    "PageHeader",
    {
        "uncompressed_page_size": _RAW,
        "compressed_page_size": _STORED,
        "crc": _CRC,
        "data_page_header": _FIRST,
        "data_page_header" + END: _FIRST + 1,
        "data_page_header.num_values": _FIRST + 2,
        "dictionary_page_header": _FIRST + 3,
        "dictionary_page_header" + END: _FIRST + 4,
        "dictionary_page_header.num_values": _FIRST + 5,
        "data_page_header_v2": _FIRST + 6,
        "data_page_header_v2" + END: _FIRST + 7,
        "data_page_header_v2.num_values": _FIRST + 8,
        "data_page_header_v2.definition_levels_byte_length": _DEFINITIONS,
        "data_page_header_v2.repetition_levels_byte_length": _REPETITIONS,
        "data_page_header_v2.is_compressed": _IS_COMPRESSED,
    },
)
_KINDS: Final = (_DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2)
_ABSENT: Final = -(1 << 63)


@kernel(work=lambda _, chunks, *__: 64 * len(chunks))
def find_pages(data: np.ndarray, chunks: np.ndarray, pages: np.ndarray, sums: np.ndarray) -> int:
    """Find the pages of chunks; return their number, -1 if one is unusual, -2 if there is no room.

    pages  filled in, only for chunks compressed with Zstandard
    sums   int64[page]: the page's CRC-32, -1 if it has none
    """
    count, found = 0, np.zeros(_SLOTS, np.int64)
    for chunk in range(len(chunks)):
        at, end, values = chunks[chunk, 2], chunks[chunk, 3], word(0)
        is_zstd, size, total = chunks[chunk, 5] == ZSTD, word(0), word(0)
        window = data[:end]
        while (at < end and values < chunks[chunk, 4]) or (at < end and not chunks[chunk, 4]):
            head = at
            found[:] = 0
            found[_CRC], found[_IS_COMPRESSED] = _ABSENT, 1
            at = take_struct(window, at, _HEADER, found)
            raw, packed = found[_RAW], found[_STORED]
            field = first = last = held = word(0)
            for each in range(len(_KINDS)):
                slot = _FIRST + 3 * each
                if found[slot]:
                    if field:
                        return -1
                    field, first = word(_KINDS[each]), found[slot]
                    last, held = found[slot + 1], found[slot + 2]
            plain = found[_DEFINITIONS] + found[_REPETITIONS]
            if found[_DEFINITIONS] < 0 or found[_REPETITIONS] < 0:
                return -1
            if not field or packed < 0 or raw < 0 or at + packed > end or plain < 0:
                return -1
            if plain > packed or plain > raw or held < 0:
                return -1
            values += held if field != DICTIONARY_PAGE else 0
            total += raw
            if is_zstd:
                if count >= len(pages):
                    return -2
                here = pages[count]
                here[0], here[1], here[2], here[3] = chunk, field, first, last
                here[4], here[5], here[6], here[7] = at, at + packed, plain, raw
                if not found[_IS_COMPRESSED]:  # pages of version 2, whose headers say so
                    here[6] = packed
                    if packed != raw:
                        return -1
                sums[count] = -1 if found[_CRC] == _ABSENT else found[_CRC] & 0xFFFFFFFF
                count += 1
                size += raw + (last - first) + 24
            at += packed
            if at <= head:
                return -1
        if values != chunks[chunk, 4] or (not is_zstd and total > chunks[chunk, 6]):
            return -1
        chunks[chunk, 6] = size if is_zstd else end - chunks[chunk, 2]
    return count
