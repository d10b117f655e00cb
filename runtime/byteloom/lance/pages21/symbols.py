"""Text that is coded by a table of symbols, FSST.

The table is read as NumPy arrays, since each page has its own, and the record of 255 symbols takes
longer to read than the values that are taken from a page.

Source: specs/lance/fsst.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.lance_fsst import ESCAPE, expand
from byteloom.lance.memory import empty
from byteloom.lance.pages21.values import Variable
from byteloom_generated.lance.fsst import Fsst

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_symbols", "text_of", "texts_of_pages"]

_SYMBOL: Final = 8
"""Bytes of a symbol."""


def text_of(table: bytes, coded: Variable, path: str, most: int) -> Variable:
    """Return values that were coded with an FSST symbol table.

    most    most bytes of the result
    raises  `FormatError` for a damaged table, and for codes that it does not have
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
    if len(coded.data) > most:
        raise LimitExceeded(path, None, "more", f"{most} bytes (limits.decompressed_size)")
    # Most of this is never written, and takes no memory.
    out = empty(8 * len(coded.data) + 8, np.uint8)
    offsets = empty(coded.count + 1, np.int64)
    offsets[0] = first = size = 0
    for (is_coded, pieces, lengths), count in zip(symbols, counts, strict=True):
        last = first + count
        own, ends = coded.offsets[first : last + 1], offsets[first : last + 1]
        if is_coded:
            bad = expand(coded.data, own, pieces, lengths, ends, out[size:])
            if bad >= 0:
                found = f"{path}.values[{first + bad}]"
                raise FormatError(found, None, "a code", "one of the symbol table")
        else:
            np.subtract(own, own[0], out=ends)
            out[size : size + int(ends[-1])] = coded.data[int(own[0]) : int(own[-1])]
        ends += size
        first, size = last, int(ends[-1])
    if size > most:
        raise LimitExceeded(path, None, f"{size}", f"{most} bytes (limits.decompressed_size)")
    return Variable.of(offsets, out[:size])


def read_symbols(table: bytes, path: str) -> tuple[bool, np.ndarray, np.ndarray]:
    """Return whether values are coded by a symbol table, its symbols, and their lengths.

    Both have an entry for every code but the escape; a code that the table lacks has length 0.

    path    the name of the page in errors
    raises  `FormatError` for a damaged table
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
    symbols, lengths = np.zeros(ESCAPE, np.int64), np.zeros(ESCAPE, np.uint8)
    symbols[:count] = np.frombuffer(table, "<i8", count, Fsst.MIN_SIZE)
    lengths[:count] = sizes
    return bool(table[head - 1]), symbols, lengths


def _are_sound(sizes: np.ndarray) -> bool:
    return not len(sizes) or bool(sizes.min() >= 1 and sizes.max() <= Fsst.MOST["lengths"])
