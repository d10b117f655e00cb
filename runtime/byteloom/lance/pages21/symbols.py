"""Text that is coded by a table of symbols, FSST.

The table is read as NumPy arrays, since each page has its own, and the record of 255 symbols takes
longer to read than the values that are taken from a page.

Source: specs/lance/fsst.ksy
"""

from __future__ import annotations

from typing import Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.lance_fsst import ESCAPE, expand
from byteloom.lance.memory import empty
from byteloom.lance.pages21.values import Variable
from byteloom_generated.lance.fsst import Fsst

__all__ = ["read_symbols", "text_of"]

_SYMBOL: Final = 8
"""Bytes of a symbol."""


def text_of(table: bytes, coded: Variable, path: str, most: int) -> Variable:
    """Return values that were coded with an FSST symbol table.

    most    most bytes of the result
    raises  `FormatError` for a damaged table, and for codes that it does not have
    """
    is_coded, pieces, lengths = read_symbols(table, path)
    if not is_coded:
        return coded
    if len(coded.data) > most:
        raise LimitExceeded(path, None, "more", f"{most} bytes (limits.decompressed_size)")
    # Most of this is never written, and takes no memory.
    out = empty(8 * len(coded.data) + 8, np.uint8)
    offsets = empty(coded.count + 1, np.int64)
    bad = expand(coded.data, coded.offsets, pieces, lengths, offsets, out)
    if bad >= 0:
        raise FormatError(f"{path}.values[{bad}]", None, "a code", "one of the symbol table")
    size = int(offsets[-1])
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
