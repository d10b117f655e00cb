"""The pages of column chunks, found by their headers.

- What is unusual ends the loop: such a file is read by itself, which knows what is wrong.
- Lengths come from files: each is compared with what is left before it is used.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.parquet_fields import numbers
from byteloom.kernels.thrift import I32, STRUCT, TRUE, next_field, number_at, passed
from byteloom.wire.kernel import kernel
from byteloom_generated.parquet.footers import (
    CODECS,
    DATA_PAGE_HEADER,
    DATA_PAGE_HEADER_V2,
    DICTIONARY_PAGE_HEADER,
    PAGE_HEADER,
)

__all__ = ["DATA_PAGE_V2", "DICTIONARY_PAGE", "PAGE_FIELDS", "ZSTD", "find_pages"]

word: Any = np.int64

PAGE_FIELDS: Final = 8
"""Of a page: its chunk, the number of the field with its header, where that begins and ends, where
its bytes begin and end, how many of them are never compressed, its bytes when decompressed."""

(ZSTD,) = numbers(CODECS, "ZSTD")
_RAW, _STORED, _CRC, _DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = numbers(
    PAGE_HEADER,
    "uncompressed_page_size",
    "compressed_page_size",
    "crc",
    "data_page_header",
    "dictionary_page_header",
    "data_page_header_v2",
)
(_VALUES,) = set(
    numbers(DATA_PAGE_HEADER, "num_values")
    + numbers(DICTIONARY_PAGE_HEADER, "num_values")
    + numbers(DATA_PAGE_HEADER_V2, "num_values")
)
_DEFINITIONS, _REPETITIONS, _IS_COMPRESSED = numbers(
    DATA_PAGE_HEADER_V2,
    "definition_levels_byte_length",
    "repetition_levels_byte_length",
    "is_compressed",
)


@kernel(work=lambda _, chunks, *__: 64 * len(chunks))
def find_pages(data: np.ndarray, chunks: np.ndarray, pages: np.ndarray, sums: np.ndarray) -> int:
    """Find the pages of chunks; return how many, -1 for unusual ones, -2 without room.

    pages  are filled in, of Zstandard's chunks alone
    sums   int64[page]: its CRC-32, -1 without one
    """
    count = 0
    for chunk in range(len(chunks)):
        at, end, values = chunks[chunk, 2], chunks[chunk, 3], word(0)
        is_zstd, size, total = chunks[chunk, 5] == ZSTD, word(0), word(0)
        window = data[:end]
        while (at < end and values < chunks[chunk, 4]) or (at < end and not chunks[chunk, 4]):
            head = at
            number = raw = packed = field = first = last = plain = held = word(0)
            packing, crc = 1, word(-1)
            while True:
                number, kind, at = next_field(window, at, number)
                if not kind:
                    break
                if number == _RAW and kind == I32:
                    raw, at = number_at(window, at)
                elif number == _STORED and kind == I32:
                    packed, at = number_at(window, at)
                elif number == _CRC and kind == I32:
                    crc, at = number_at(window, at)
                    crc &= 0xFFFFFFFF
                elif number in (_DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2) and kind == STRUCT:
                    field, first = number, at
                    held, plain, packing, at = _page_header(window, at, number)
                    last = at
                else:
                    at = passed(window, at, kind)
                if at > end:
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
                if not packing:  # of the second version, which says so
                    here[6] = packed
                    if packed != raw:
                        return -1
                sums[count] = crc
                count += 1
                size += raw + (last - first) + 24
            at += packed
            if at <= head:
                return -1
        if values != chunks[chunk, 4] or (not is_zstd and total > chunks[chunk, 6]):
            return -1
        chunks[chunk, 6] = size if is_zstd else end - chunks[chunk, 2]
    return count


@kernel
def _page_header(data: np.ndarray, at: int, field: int) -> tuple[int, int, int, int]:
    """The values of a page, its bytes that are not compressed, whether others are, the end."""
    number, held, plain, packing = 0, word(0), word(0), 1
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            return held, plain, packing, at
        if number == _VALUES and kind == I32:
            held, at = number_at(data, at)
        elif field == DATA_PAGE_V2 and number in (_DEFINITIONS, _REPETITIONS) and kind == I32:
            length, at = number_at(data, at)
            plain = plain + length if length >= 0 and plain >= 0 else word(-1)
        elif field == DATA_PAGE_V2 and number == _IS_COMPRESSED:
            packing = word(kind == TRUE)
        else:
            at = passed(data, at, kind)
        if at > len(data):
            return word(-1), word(-1), 0, at
