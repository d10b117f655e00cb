"""Text that is coded by a table of symbols, FSST.

Source: specs/lance/fsst.ksy
"""

from __future__ import annotations

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.lance_fsst import ESCAPE, expand
from byteloom.lance.pages21.values import Variable
from byteloom_generated.lance.fsst import Fsst

__all__ = ["text_of"]


def text_of(table: bytes, coded: Variable, path: str, most: int) -> Variable:
    """Return values that were coded with an FSST symbol table.

    most    bytes that they may come to
    raises  `FormatError` for a damaged table, and for codes that it does not have
    """
    symbols = _symbols(table, path)
    if not symbols.is_coded:
        return coded
    pieces = np.zeros(256, np.int64)
    pieces[: len(symbols.symbols)] = np.frombuffer(b"".join(symbols.symbols), "<i8")
    lengths = np.zeros(256, np.uint8)
    lengths[: len(symbols.lengths)] = symbols.lengths
    if len(coded.data) > most:
        raise LimitExceeded(path, None, "more", f"{most} bytes (limits.decompressed_size)")
    # Most of it is never touched, and takes no memory.
    out = np.empty(8 * len(coded.data) + 8, np.uint8)
    offsets = np.empty(coded.count + 1, np.int64)
    bad = expand(coded.data, coded.offsets, pieces, lengths[:ESCAPE], offsets, out)
    if bad >= 0:
        raise FormatError(f"{path}.values[{bad}]", None, "a code", "one of the symbol table")
    size = int(offsets[-1])
    if size > most:
        raise LimitExceeded(path, None, f"{size}", f"{most} bytes (limits.decompressed_size)")
    return Variable(offsets.astype(np.int32) if size < 1 << 31 else offsets, out[:size])


def _symbols(table: bytes, path: str) -> Fsst:
    """The symbols of an FSST table."""
    try:
        return Fsst.from_bytes(table)
    except FormatError as error:
        error.offset = None
        raise error.inside(f"{path}.symbol_table") from error.__cause__
