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
import pyarrow.compute as pc

from byteloom.errors import Unsupported
from byteloom.iceberg.types import DecimalType, Type
from byteloom.iceberg.values import to_binary

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["hash_array"]

_WORDS: Final = frozenset({"boolean", "int", "long", "date", "time", "timestamp", "timestamptz"})
_NANOS: Final = frozenset({"timestamp_ns", "timestamptz_ns"})
_FLOATS: Final = frozenset({"float", "double"})
_RUNS: Final = frozenset({"string", "binary", "fixed", "uuid"})
_NAN_BITS: Final = 0x7FF8000000000000


def hash_array(source: Type, values: pa.Array) -> NDArray[np.int32]:
    """Return int32[row]: the hash of each value; of a null anything.

    Unsupported  a type that the spec does not hash
    """
    from byteloom.kernels.murmur3_32 import hash_runs, hash_words

    hashes = np.empty(len(values), np.uint32)
    if source.kind in _RUNS or isinstance(source, DecimalType):
        data, offsets = _runs(source, values)
        hash_runs(data, offsets, hashes)
    else:
        hash_words(_words(source, values), hashes)
    return hashes.view(np.int32)


def _words(source: Type, values: pa.Array) -> NDArray[np.int64]:
    """Values as long."""
    if source.kind in _WORDS:
        return as_words(values)
    if source.kind in _NANOS:
        return as_words(values) // 1000
    if source.kind in _FLOATS:
        doubles = pc.fill_null(values.cast(pa.float64()), 0.0).to_numpy() + 0.0
        bits = doubles.view(np.int64).copy()
        bits[np.isnan(doubles)] = _NAN_BITS
        return np.asarray(bits, np.int64)
    raise Unsupported("transform", None, f"type {source}", "a type that the spec hashes")


def as_words(values: pa.Array) -> NDArray[np.int64]:
    """Return the storage values of a column of integers, days or moments; 0 for null."""
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())  # noqa: PLR2004  bits
    words = pc.fill_null(values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    return np.asarray(words, np.int64)


def _runs(source: Type, values: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Values as bytes one behind the other, and where each starts and ends."""
    if isinstance(source, DecimalType):
        held = [b"" if each is None else to_binary(source, each) for each in values.to_pylist()]
        values = pa.array(held, pa.large_binary())
    runs = values.cast(pa.binary()) if pa.types.is_fixed_size_binary(values.type) else values
    runs = runs.cast(pa.large_binary())
    _, offsets, data = runs.buffers()
    ends: Any = np.frombuffer(offsets, np.int64, len(runs) + 1, runs.offset * 8)
    return np.frombuffer(data or b"", np.uint8), ends
