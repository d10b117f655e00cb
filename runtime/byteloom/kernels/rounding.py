"""Round integers down to multiples of a width that is known only at run time.

Source: Iceberg table spec, "Partition Transforms" (truncate).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel

__all__ = ["round_down"]

_i64: Any = np.int64
_INT = 4
_LEAST_INT = -(1 << 31)
_MOST = float((1 << 63) - (1 << 10))
"""The largest double that fits 64 bits; the conversion of larger ones is undefined."""


@kernel
def round_down(values: np.ndarray, width: int, made: np.ndarray) -> None:
    """Put each value, rounded down to a multiple of *width* (1 to 2^31 - 1), into *made*.

    values, made  int32 or int64; results below the range wrap around, as in Java

    A processor divides 64 bits in 30 cycles and multiplies doubles in one: the first quotient is
    off by up to 2^11, and the second by one at most.
    """
    divisor, inverse = _i64(width), 1.0 / width
    for i in range(len(values)):
        value = _i64(values[i])
        rest = value - _i64(min(float(value) * inverse, _MOST)) * divisor
        rest -= _i64(float(rest) * inverse) * divisor
        rest += divisor if rest < 0 else _i64(0)
        rest -= divisor if rest >= divisor else _i64(0)
        rounded = value - rest
        if made.itemsize == _INT and rounded < _LEAST_INT:
            rounded += 1 << 32
        made[i] = rounded
