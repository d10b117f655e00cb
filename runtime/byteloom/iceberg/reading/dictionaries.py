"""Columns of codes of a dictionary, as the columns that they stand for.

The rules:

- Codes come from files, so each is held to be one of an entry before it is used.
- Text becomes large text in one pass, a copy a row.

Source: Apache Arrow columnar format, "Dictionary-encoded Layout".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.reading.texts import arrow_memory, is_text, large_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["codes_of", "expanded"]


def codes_of(array: pa.DictionaryArray) -> NDArray[Any]:
    """Return the codes of a column without nulls; `FormatError` for one of no entry."""
    codes: NDArray[Any] = array.indices.to_numpy()
    entries = len(array.dictionary)
    if len(codes) and not (codes.min() >= 0 and codes.max() < entries):
        wrong = int(codes.min() if codes.min() < 0 else codes.max())
        raise FormatError("dictionary", None, f"the code {wrong}", f"one of {entries} entries")
    return codes


def expanded(array: pa.DictionaryArray) -> pa.Array:
    """Return the value of each code; text as large_string or large_binary."""
    values = array.dictionary
    if array.null_count or values.null_count or not is_text(values.type):
        return array.dictionary_decode()
    from byteloom.kernels.dictionaries import expand, measure

    codes = codes_of(array)
    of, offsets, data = large_text(values)
    told, out_offsets = arrow_memory(len(codes) + 1, np.dtype("i8"))
    held, out = arrow_memory(measure(codes, offsets, out_offsets), np.dtype("u1"))
    expand(codes, offsets, data, out_offsets, out)
    return pa.Array.from_buffers(of, len(codes), [None, told, held])
