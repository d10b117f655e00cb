"""Arrow columns as NumPy views of their buffers, and back, with as few copies as possible.

The rules:

- Values under nulls are arbitrary; results have the column's own validity.
- Text and bytes come in Arrow's large or small layout; views and other forms are made large first.

Source: Arrow columnar format, "Physical Memory Layout".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["decimal_words", "fixed_values", "runs", "with_nulls_of"]

_DECIMAL_WIDTH: Final = 16


def fixed_values(values: pa.Array, form: Any) -> NDArray[Any]:
    """Return the values of a column of fixed width as NumPy's *form*; no copy."""
    dtype = np.dtype(form)
    data = values.buffers()[1]
    if data is None:
        return np.zeros(len(values), dtype)
    return np.frombuffer(data, dtype, len(values), values.offset * dtype.itemsize)


def decimal_words(values: pa.Array) -> NDArray[np.uint64]:
    """Return uint64[row, 2]: the low and the high half of each decimal of 128 bits; no copy."""
    data = values.buffers()[1]
    if data is None:
        return np.zeros((len(values), 2), np.uint64)
    at = values.offset * _DECIMAL_WIDTH
    return np.frombuffer(data, np.uint64, len(values) * 2, at).reshape(-1, 2)


def runs(values: pa.Array) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Return the bytes of a column of text or bytes, and the bounds of each value in them."""
    if pa.types.is_fixed_size_binary(values.type):
        width = values.type.byte_width
        data = values.buffers()[1]
        ends: NDArray[Any] = np.arange(values.offset, values.offset + len(values) + 1) * width
        return np.frombuffer(data or b"", np.uint8), ends
    if not (pa.types.is_binary(values.type) or pa.types.is_string(values.type)):
        values = values.cast(pa.large_binary())  # of the same layout, or a view
    is_small = values.type in {pa.binary(), pa.string()}
    form = np.dtype(np.int32 if is_small else np.int64)
    _, offsets, data = values.buffers()
    if offsets is None:
        return np.zeros(0, np.uint8), np.zeros(len(values) + 1, form)
    ends = np.frombuffer(offsets, form, len(values) + 1, values.offset * form.itemsize)
    return np.frombuffer(data or b"", np.uint8), ends


def with_nulls_of(values: pa.Array, made: NDArray[Any], of: pa.DataType) -> pa.Array:
    """Return results as an Arrow array of type *of*, null where *values* are; no copy."""
    validity = None
    if values.null_count:
        validity = values.buffers()[0] if not values.offset else pc.is_valid(values).buffers()[1]
    buffers = [validity, pa.py_buffer(made)]
    return pa.Array.from_buffers(of, len(values), buffers, values.null_count)
