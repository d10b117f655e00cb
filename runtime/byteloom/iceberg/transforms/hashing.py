"""The hash behind buckets, of whole columns.

    int, long, date         as long
    time, timestamp(tz)     as long, in microseconds: nanoseconds are cut to them
    decimal                 the unscaled value's two's complement, big-endian, shortest
    string, binary, fixed   their bytes
    uuid                    its 16 bytes, big-endian
    boolean                 as long, 1 for true (hash only: no bucket takes it)
    float, double           the double's bits as long, -0.0 as 0.0, all NaNs as one (hash only)

Source: Iceberg table spec, "Appendix B: 32-bit Hash Requirements".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.iceberg.transforms.buffers import decimal_words, fixed_values, runs
from byteloom.iceberg.types import DecimalType, Type

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["hash_array"]

_NARROW: Final = frozenset({"int", "date"})
_WIDE: Final = frozenset({"long", "time", "timestamp", "timestamptz"})
_NANOS: Final = frozenset({"timestamp_ns", "timestamptz_ns"})
_FLOATS: Final = frozenset({"float", "double"})
_RUNS: Final = frozenset({"string", "binary", "fixed", "uuid"})
_NAN_BITS: Final = 0x7FF8000000000000


def hash_array(source: Type, values: pa.Array) -> NDArray[np.int32]:
    """Return int32[row]: the hash of each value; of a null anything.

    values       of the Arrow type that goes with *source*; text and bytes in any of Arrow's layouts
    Unsupported  a type that the spec does not hash
    """
    from byteloom.kernels.decimals import hash_decimals
    from byteloom.kernels.murmur3_32 import hash_runs, hash_words

    hashes = np.empty(len(values), np.uint32)
    if source.kind in _RUNS:
        hash_runs(*runs(values), hashes)
    elif isinstance(source, DecimalType):
        hash_decimals(decimal_words(values), hashes)
    else:
        hash_words(_words(source, values), hashes)
    return hashes.view(np.int32)


def _words(source: Type, values: pa.Array) -> NDArray[Any]:
    """Values as integers that hash as long."""
    if source.kind in _NARROW:
        return fixed_values(values, np.int32)
    if source.kind in _WIDE:
        return fixed_values(values, np.int64)
    if source.kind in _NANOS:
        return fixed_values(values, np.int64) // 1000
    if source.kind == "boolean":
        return fixed_values(values.cast(pa.int32()), np.int32)
    if source.kind in _FLOATS:
        return _double_bits(values)
    raise Unsupported("transform", None, f"type {source}", "a type that the spec hashes")


def _double_bits(values: pa.Array) -> NDArray[np.int64]:
    """The bits of doubles, one for both zeros and one for all NaNs."""
    doubles = fixed_values(values.cast(pa.float64()), np.float64)
    bits = doubles.view(np.int64).copy()
    bits[doubles == 0] = 0
    bits[np.isnan(doubles)] = _NAN_BITS
    return bits
