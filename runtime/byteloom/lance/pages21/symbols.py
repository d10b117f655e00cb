"""Text that is coded by a table of symbols, FSST.

The table is read as NumPy arrays, since each page has its own, and the record of 255 symbols takes
longer to read than the values that are taken from a page.

Source: specs/lance/fsst.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.lance_fsst import CODES, DISORDER, DONE, FULL, expand
from byteloom.lance.arrays import empty
from byteloom.lance.pages21.values import Variable, offset_type
from byteloom_generated.lance.fsst import Fsst

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Coded", "Symbols", "decoded", "read_symbols", "text_of", "texts_of_pages"]

Symbols: TypeAlias = "tuple[bool, np.ndarray, np.ndarray]"

_SYMBOL: Final = 8
"""Bytes of a symbol."""

_RUN: Final = 1 << 14
"""Most codes that are decoded as one run."""

_USUAL: Final = 3
"""Bytes of text for each code; where there are more, memory is allocated again for the most."""

_STATE: Final = 4
"""Numbers that the loop keeps."""

_THEMSELVES: Final[Symbols] = (False, np.arange(CODES), np.ones(CODES, np.uint8))
"""The table of values that are not coded: each code stands for itself."""


class Coded(NamedTuple):
    """Values of chunks that are coded, which are inside *data*, if their offsets ascend.

    Attributes:
        data: The codes, and perhaps more.
        words: Offsets: the first of a chunk is at *firsts*, and there is one more than its values.
        bases: For each chunk the place in *data* from which its offsets count.
        counts: Values of each chunk.
        tables: For each chunk the number of its symbol table.
        size: Bytes of all codes.
    """

    data: np.ndarray
    words: np.ndarray
    firsts: np.ndarray
    bases: np.ndarray
    counts: np.ndarray
    tables: np.ndarray
    size: int

    @classmethod
    def of(cls, values: Variable, counts: Sequence[int]) -> Coded:
        """Return *values*, of which *counts* are of each page, which has its own table."""
        sizes = np.array(counts, np.int64)
        firsts = np.cumsum(sizes) - sizes
        words = values.offsets.view(f"u{values.offsets.itemsize}")
        bases, tables = np.zeros(len(sizes), np.int64), np.arange(len(sizes))
        size = int(values.offsets[-1]) - int(values.offsets[0])
        return cls(values.data, words, firsts, bases, sizes, tables, size)


def text_of(table: bytes, coded: Variable, path: str, most: int) -> Variable:
    """Return values that were coded with an FSST symbol table.

    Args:
        most: Most bytes of the result.

    Raises:
        FormatError: For a damaged table, and for codes that it does not have.
    """
    return texts_of_pages([table], [coded.count], coded, path, most)


def texts_of_pages(
    tables: Sequence[bytes], counts: Sequence[int], coded: Variable, path: str, most: int
) -> Variable:
    """Return the values of several pages, each of which has its own symbol table.

    counts  the number of values of each page
    most    most bytes of the result
    raises  the errors of `text_of`
    """
    symbols = [read_symbols(each, path) for each in tables]
    if not any(is_coded for is_coded, _, _ in symbols):
        return coded

    def refused(page: int) -> FormatError:
        return FormatError(path, None, f"offsets that descend, in page {page}", "ascending ones")

    return decoded(symbols, Coded.of(coded, counts), path, most, refused)


def decoded(
    symbols: Sequence[Symbols],
    coded: Coded,
    path: str,
    most: int,
    refused: Callable[[int], FormatError],
) -> Variable:
    """Return the values of chunks that are *coded* by tables of *symbols*; see `text_of`.

    Args:
        refused: Returns the error about a chunk whose offsets descend.
    """
    if coded.size > most:
        raise LimitExceeded(path, None, "more", f"{most} bytes (limits.decompressed_size)")
    used = [each if each[0] else _THEMSELVES for each in symbols]
    pieces, lengths = (np.concatenate([each[part] for each in used]) for part in (1, 2))
    longest = _SYMBOL * coded.size + _SYMBOL
    places = empty(min(coded.size, _RUN) + 1, np.int32)
    offsets = empty(int(coded.counts.sum()) + 1, offset_type(longest))
    state = np.zeros(_STATE, np.int64)
    loop = (*coded[:-1], pieces, lengths, places, state, offsets)
    out = empty(min(longest, _USUAL * coded.size + _SYMBOL * (_RUN + 1)), np.uint8)
    ended = expand(*loop, out)
    if ended == FULL:
        size = int(state[-1])
        more = empty(longest, np.uint8)
        more[:size] = out[:size]
        out = more
        ended = expand(*loop, out)
    if ended == DISORDER:
        raise refused(int(state[0]))
    if ended != DONE:
        raise FormatError(f"{path}.values[{ended}]", None, "a code", "one of the symbol table")
    size = int(offsets[-1])
    if size > most:
        raise LimitExceeded(path, None, f"{size}", f"{most} bytes (limits.decompressed_size)")
    return Variable(offsets.astype(offset_type(size), copy=False), out[:size])


def read_symbols(table: bytes, path: str) -> Symbols:
    """Return whether values are coded by a symbol table, its symbols, and their lengths.

    Both have an entry for every code; the escape, and a code that the table lacks, has length 0.

    Args:
        path: The name of the page in errors.

    Raises:
        FormatError: For a damaged table.
    """
    count = table[0] if table else 0
    first = Fsst.MIN_SIZE + _SYMBOL * count
    sizes = np.frombuffer(table[first : first + count], np.uint8)
    head = Fsst.MIN_SIZE - len(Fsst.magic)
    is_sound = len(sizes) == count and table[head : Fsst.MIN_SIZE] == Fsst.magic
    if not is_sound or table[head - 1] > Fsst.MOST["is_coded"] or not _are_sound(sizes):
        try:
            Fsst.from_bytes(table)
        except FormatError as error:
            error.offset = None
            raise error.inside(f"{path}.symbol_table") from error.__cause__
    symbols, lengths = np.zeros(CODES, np.int64), np.zeros(CODES, np.uint8)
    symbols[:count] = np.frombuffer(table, "<i8", count, Fsst.MIN_SIZE)
    lengths[:count] = sizes
    return bool(table[head - 1]), symbols, lengths


def _are_sound(sizes: np.ndarray) -> bool:
    return not len(sizes) or bool(sizes.min() >= 1 and sizes.max() <= Fsst.MOST["lengths"])
