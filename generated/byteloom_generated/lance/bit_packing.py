# Written by byteloom-codegen from specs/lance/bit_packing.yaml; do not edit.
# To change it, edit that file and generate again.
"""A chunk has 1,024 integers of 8, 16, 32 or 64 bits, of which only the lowest
`width` bits are stored. The words of a chunk are as wide as its integers, and
divided into lanes, 1,024 divided by the bits of a word: word `lanes * i + lane`
is the i-th of a lane. A lane is a stream of bits, the lowest first, with an
integer for each row; one that does not fit into a word continues in the lowest
bits of the lane's next word. Integers of a row are next to one another, so that
a processor takes many of them with one instruction.

The order of rows is such that the same order serves lanes of every width: row
`r` of a lane has the integer `16 * groups[r // 8] + 128 * (r % 8) + lane`,
where `groups` is 0, 4, 2, 6, 1, 5, 3, 7.

For instance, integers of 64 bits of which 10 are stored are 16 lanes of 10
words, 1,280 bytes. Integer 0 is the lowest 10 bits of word 0, integer 1 those
of word 1, the next lane. The second row of lane 0, bits 10 to 19 of word 0, is
integer 128; its seventh row, integer 768, is bits 60 to 63 of word 0 and, as
its upper bits, bits 0 to 5 of word 16.

Source: https://www.vldb.org/pvldb/vol16/p2132-afroozeh.pdf
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import (
    VECTOR,
    merge_8,
    merge_16,
    merge_32,
    merge_64,
    shift_8,
    shift_16,
    shift_32,
    shift_64,
)

__all__ = [
    "INTEGERS",
    "pack_8",
    "pack_16",
    "pack_32",
    "pack_64",
    "pick_8",
    "pick_16",
    "pick_32",
    "pick_64",
    "unpack_8",
    "unpack_16",
    "unpack_32",
    "unpack_64",
]

INTEGERS: Final = 1024
"""Integers of a chunk."""

_GROUPS: Final = (0, 4, 2, 6, 1, 5, 3, 7)
"""For each eight rows of a lane, where their group of integers is in the chunk."""

_ROWS: Final = (0, 4, 2, 6, 1, 5, 3, 7)
"""For each group of integers of a chunk, which eight rows of a lane it has."""

_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)

# Unsigned, as are places that lanes are added to: a place that might be negative, or a slice for
# each row, takes longer than the integers.
_LANES_8: Final = np.uint64(128)
_LANES_16: Final = np.uint64(64)
_LANES_32: Final = np.uint64(32)
_LANES_64: Final = np.uint64(16)


def _work(_: Any, places: Any, *__: Any) -> int:
    """The work of a call: two units for each integer of a chunk."""
    return 2 * INTEGERS * len(places)


@kernel(work=_work)
def unpack_8(words: Any, places: Any, widths: Any, out: Any, targets: Any) -> None:
    """Unpack chunks of integers of 8 bits.

    words    of 8 bits, with the chunks in it
    places   for each chunk its first word; it has 128 words for each bit of its width
    widths   for each chunk, bits that are stored of an integer, 0 to 8
    out      integers of 8 bits, changed
    targets  for each chunk the first of the 1024 integers of *out* that it fills; chunks are
             unpacked in order, so that one may overwrite the end of another
    """
    source, target = int(words.ctypes.data), int(out.ctypes.data)
    for chunk in range(len(places)):
        at, width, bit = source + int(places[chunk]), int(widths[chunk]), 0
        to = int(targets[chunk])
        mask = np.int64(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        for row in range(8):
            first = to + _GROUPS[row >> 3] * 16 + (row & 7) * 128
            word, place = at + (bit >> 3) * 128, target + first
            low = bit & 7
            if width == 0:
                out[first : first + 128] = 0
            elif low + width <= 8:
                for i in range(0, 128, VECTOR):
                    shift_8(word + i, place + i, low, mask)
            else:
                for i in range(0, 128, VECTOR):
                    merge_8(word + i, word + 128 + i, place + i, low, mask)
            bit += width


@kernel
def pick_8(words: Any, places: Any, widths: Any, numbers: Any, out: Any) -> None:
    """Unpack single integers of 8 bits.

    words    of 8 bits, with the chunks in it
    places   for each integer the first word of its chunk
    widths   for each integer, bits that are stored of it, 0 to 8
    numbers  for each integer its number in its chunk, 0 to 1023
    out      integers of 8 bits, changed
    """
    for i in range(len(numbers)):
        number, width = int(numbers[i]), int(widths[i])
        lane = number & 127
        group = (number & 127) // 16 - lane // 16
        bit = (_ROWS[group] * 8 + number // 128) * width
        word = int(places[i]) + (bit >> 3) * 128 + lane
        mask = np.uint8(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        low = np.uint8(bit & 7)
        if width == 0:
            out[i] = 0
        elif (bit & 7) + width <= 8:
            out[i] = words[word] >> low & mask
        else:
            high = np.uint8(-bit & 7)
            out[i] = (words[word] >> low | words[word + 128] << high) & mask


@kernel(work=_work)
def pack_8(integers: Any, places: Any, widths: Any, out: Any, targets: Any) -> None:
    """Pack chunks of integers of 8 bits; undoes `unpack_8`.

    integers  of 8 bits; of each, bits above the width are left out
    places    for each chunk the first of its 1024 integers
    widths    for each chunk, bits to store of an integer, 0 to 8
    out       words of 8 bits, changed
    targets   for each chunk its first word
    """
    for chunk in range(len(places)):
        at, width, bit = int(places[chunk]), int(widths[chunk]), 0
        to = int(targets[chunk])
        mask = np.uint8(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        out[to : to + 128 * width] = 0
        for row in range(8 if width else 0):
            first = np.uint64(at + _GROUPS[row >> 3] * 16 + (row & 7) * 128)
            word = np.uint64(to + (bit >> 3) * 128)
            low = np.uint8(bit & 7)
            for lane in range(_LANES_8):
                out[word + lane] |= (integers[first + lane] & mask) << low
            if (bit & 7) + width > 8:
                high, more = np.uint8(-bit & 7), word + _LANES_8
                for lane in range(_LANES_8):
                    out[more + lane] |= (integers[first + lane] & mask) >> high
            bit += width


@kernel(work=_work)
def unpack_16(words: Any, places: Any, widths: Any, out: Any, targets: Any) -> None:
    """Unpack chunks of integers of 16 bits.

    words    of 16 bits, with the chunks in it
    places   for each chunk its first word; it has 64 words for each bit of its width
    widths   for each chunk, bits that are stored of an integer, 0 to 16
    out      integers of 16 bits, changed
    targets  for each chunk the first of the 1024 integers of *out* that it fills; chunks are
             unpacked in order, so that one may overwrite the end of another
    """
    source, target = int(words.ctypes.data), int(out.ctypes.data)
    for chunk in range(len(places)):
        at, width, bit = source + 2 * int(places[chunk]), int(widths[chunk]), 0
        to = int(targets[chunk])
        mask = np.int64(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        for row in range(16):
            first = to + _GROUPS[row >> 3] * 16 + (row & 7) * 128
            word, place = at + (bit >> 4) * 128, target + 2 * first
            low = bit & 15
            if width == 0:
                out[first : first + 64] = 0
            elif low + width <= 16:
                for i in range(0, 128, VECTOR):
                    shift_16(word + i, place + i, low, mask)
            else:
                for i in range(0, 128, VECTOR):
                    merge_16(word + i, word + 128 + i, place + i, low, mask)
            bit += width


@kernel
def pick_16(words: Any, places: Any, widths: Any, numbers: Any, out: Any) -> None:
    """Unpack single integers of 16 bits.

    words    of 16 bits, with the chunks in it
    places   for each integer the first word of its chunk
    widths   for each integer, bits that are stored of it, 0 to 16
    numbers  for each integer its number in its chunk, 0 to 1023
    out      integers of 16 bits, changed
    """
    for i in range(len(numbers)):
        number, width = int(numbers[i]), int(widths[i])
        lane = number & 63
        group = (number & 127) // 16 - lane // 16
        bit = (_ROWS[group] * 8 + number // 128) * width
        word = int(places[i]) + (bit >> 4) * 64 + lane
        mask = np.uint16(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        low = np.uint16(bit & 15)
        if width == 0:
            out[i] = 0
        elif (bit & 15) + width <= 16:
            out[i] = words[word] >> low & mask
        else:
            high = np.uint16(-bit & 15)
            out[i] = (words[word] >> low | words[word + 64] << high) & mask


@kernel(work=_work)
def pack_16(integers: Any, places: Any, widths: Any, out: Any, targets: Any) -> None:
    """Pack chunks of integers of 16 bits; undoes `unpack_16`.

    integers  of 16 bits; of each, bits above the width are left out
    places    for each chunk the first of its 1024 integers
    widths    for each chunk, bits to store of an integer, 0 to 16
    out       words of 16 bits, changed
    targets   for each chunk its first word
    """
    for chunk in range(len(places)):
        at, width, bit = int(places[chunk]), int(widths[chunk]), 0
        to = int(targets[chunk])
        mask = np.uint16(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        out[to : to + 64 * width] = 0
        for row in range(16 if width else 0):
            first = np.uint64(at + _GROUPS[row >> 3] * 16 + (row & 7) * 128)
            word = np.uint64(to + (bit >> 4) * 64)
            low = np.uint16(bit & 15)
            for lane in range(_LANES_16):
                out[word + lane] |= (integers[first + lane] & mask) << low
            if (bit & 15) + width > 16:
                high, more = np.uint16(-bit & 15), word + _LANES_16
                for lane in range(_LANES_16):
                    out[more + lane] |= (integers[first + lane] & mask) >> high
            bit += width


@kernel(work=_work)
def unpack_32(words: Any, places: Any, widths: Any, out: Any, targets: Any) -> None:
    """Unpack chunks of integers of 32 bits.

    words    of 32 bits, with the chunks in it
    places   for each chunk its first word; it has 32 words for each bit of its width
    widths   for each chunk, bits that are stored of an integer, 0 to 32
    out      integers of 32 bits, changed
    targets  for each chunk the first of the 1024 integers of *out* that it fills; chunks are
             unpacked in order, so that one may overwrite the end of another
    """
    source, target = int(words.ctypes.data), int(out.ctypes.data)
    for chunk in range(len(places)):
        at, width, bit = source + 4 * int(places[chunk]), int(widths[chunk]), 0
        to = int(targets[chunk])
        mask = np.int64(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        for row in range(32):
            first = to + _GROUPS[row >> 3] * 16 + (row & 7) * 128
            word, place = at + (bit >> 5) * 128, target + 4 * first
            low = bit & 31
            if width == 0:
                out[first : first + 32] = 0
            elif low + width <= 32:
                for i in range(0, 128, VECTOR):
                    shift_32(word + i, place + i, low, mask)
            else:
                for i in range(0, 128, VECTOR):
                    merge_32(word + i, word + 128 + i, place + i, low, mask)
            bit += width


@kernel
def pick_32(words: Any, places: Any, widths: Any, numbers: Any, out: Any) -> None:
    """Unpack single integers of 32 bits.

    words    of 32 bits, with the chunks in it
    places   for each integer the first word of its chunk
    widths   for each integer, bits that are stored of it, 0 to 32
    numbers  for each integer its number in its chunk, 0 to 1023
    out      integers of 32 bits, changed
    """
    for i in range(len(numbers)):
        number, width = int(numbers[i]), int(widths[i])
        lane = number & 31
        group = (number & 127) // 16 - lane // 16
        bit = (_ROWS[group] * 8 + number // 128) * width
        word = int(places[i]) + (bit >> 5) * 32 + lane
        mask = np.uint32(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        low = np.uint32(bit & 31)
        if width == 0:
            out[i] = 0
        elif (bit & 31) + width <= 32:
            out[i] = words[word] >> low & mask
        else:
            high = np.uint32(-bit & 31)
            out[i] = (words[word] >> low | words[word + 32] << high) & mask


@kernel(work=_work)
def pack_32(integers: Any, places: Any, widths: Any, out: Any, targets: Any) -> None:
    """Pack chunks of integers of 32 bits; undoes `unpack_32`.

    integers  of 32 bits; of each, bits above the width are left out
    places    for each chunk the first of its 1024 integers
    widths    for each chunk, bits to store of an integer, 0 to 32
    out       words of 32 bits, changed
    targets   for each chunk its first word
    """
    for chunk in range(len(places)):
        at, width, bit = int(places[chunk]), int(widths[chunk]), 0
        to = int(targets[chunk])
        mask = np.uint32(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        out[to : to + 32 * width] = 0
        for row in range(32 if width else 0):
            first = np.uint64(at + _GROUPS[row >> 3] * 16 + (row & 7) * 128)
            word = np.uint64(to + (bit >> 5) * 32)
            low = np.uint32(bit & 31)
            for lane in range(_LANES_32):
                out[word + lane] |= (integers[first + lane] & mask) << low
            if (bit & 31) + width > 32:
                high, more = np.uint32(-bit & 31), word + _LANES_32
                for lane in range(_LANES_32):
                    out[more + lane] |= (integers[first + lane] & mask) >> high
            bit += width


@kernel(work=_work)
def unpack_64(words: Any, places: Any, widths: Any, out: Any, targets: Any) -> None:
    """Unpack chunks of integers of 64 bits.

    words    of 64 bits, with the chunks in it
    places   for each chunk its first word; it has 16 words for each bit of its width
    widths   for each chunk, bits that are stored of an integer, 0 to 64
    out      integers of 64 bits, changed
    targets  for each chunk the first of the 1024 integers of *out* that it fills; chunks are
             unpacked in order, so that one may overwrite the end of another
    """
    source, target = int(words.ctypes.data), int(out.ctypes.data)
    for chunk in range(len(places)):
        at, width, bit = source + 8 * int(places[chunk]), int(widths[chunk]), 0
        to = int(targets[chunk])
        mask = np.int64(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        for row in range(64):
            first = to + _GROUPS[row >> 3] * 16 + (row & 7) * 128
            word, place = at + (bit >> 6) * 128, target + 8 * first
            low = bit & 63
            if width == 0:
                out[first : first + 16] = 0
            elif low + width <= 64:
                for i in range(0, 128, VECTOR):
                    shift_64(word + i, place + i, low, mask)
            else:
                for i in range(0, 128, VECTOR):
                    merge_64(word + i, word + 128 + i, place + i, low, mask)
            bit += width


@kernel
def pick_64(words: Any, places: Any, widths: Any, numbers: Any, out: Any) -> None:
    """Unpack single integers of 64 bits.

    words    of 64 bits, with the chunks in it
    places   for each integer the first word of its chunk
    widths   for each integer, bits that are stored of it, 0 to 64
    numbers  for each integer its number in its chunk, 0 to 1023
    out      integers of 64 bits, changed
    """
    for i in range(len(numbers)):
        number, width = int(numbers[i]), int(widths[i])
        lane = number & 15
        group = (number & 127) // 16 - lane // 16
        bit = (_ROWS[group] * 8 + number // 128) * width
        word = int(places[i]) + (bit >> 6) * 16 + lane
        mask = np.uint64(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        low = np.uint64(bit & 63)
        if width == 0:
            out[i] = 0
        elif (bit & 63) + width <= 64:
            out[i] = words[word] >> low & mask
        else:
            high = np.uint64(-bit & 63)
            out[i] = (words[word] >> low | words[word + 16] << high) & mask


@kernel(work=_work)
def pack_64(integers: Any, places: Any, widths: Any, out: Any, targets: Any) -> None:
    """Pack chunks of integers of 64 bits; undoes `unpack_64`.

    integers  of 64 bits; of each, bits above the width are left out
    places    for each chunk the first of its 1024 integers
    widths    for each chunk, bits to store of an integer, 0 to 64
    out       words of 64 bits, changed
    targets   for each chunk its first word
    """
    for chunk in range(len(places)):
        at, width, bit = int(places[chunk]), int(widths[chunk]), 0
        to = int(targets[chunk])
        mask = np.uint64(_ALL >> np.uint64(64 - width) if width else np.uint64(0))
        out[to : to + 16 * width] = 0
        for row in range(64 if width else 0):
            first = np.uint64(at + _GROUPS[row >> 3] * 16 + (row & 7) * 128)
            word = np.uint64(to + (bit >> 6) * 16)
            low = np.uint64(bit & 63)
            for lane in range(_LANES_64):
                out[word + lane] |= (integers[first + lane] & mask) << low
            if (bit & 63) + width > 64:
                high, more = np.uint64(-bit & 63), word + _LANES_64
                for lane in range(_LANES_64):
                    out[more + lane] |= (integers[first + lane] & mask) >> high
            bit += width
