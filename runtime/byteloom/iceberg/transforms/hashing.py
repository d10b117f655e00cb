"""The bucket hash of whole columns.

``specs/iceberg/types.yaml`` says how each type is hashed; this includes floats and booleans, which
no bucket transform takes.

Source: Iceberg table spec, "Appendix B: 32-bit Hash Requirements".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.transforms.buffers import decimal_words, fixed_values, runs
from byteloom.kernels.transforms import hash_decimals, hash_runs, hash_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.types import Type

__all__ = ["hash_array"]

_NAN_BITS: Final = 0x7FF8000000000000


def hash_array(source: Type, values: pa.Array) -> NDArray[np.int32]:
    """Return int32[row]: the hash of each value; arbitrary for nulls.

    Args:
        values: Of the Arrow type for *source*; text and bytes in any of Arrow's layouts.

    Raises:
        Unsupported: A type that the spec does not hash.
    """
    hashes, hashed_as = np.empty(len(values), np.uint32), source.row.hash
    if hashed_as == "run":
        hash_runs(*runs(values), hashes)
    elif hashed_as == "decimal":
        hash_decimals(decimal_words(values), hashes)
    else:
        hash_words(_words(source, values), hashes)
    return hashes.view(np.int32)


def _words(source: Type, values: pa.Array) -> NDArray[Any]:
    """Return values as integers that are hashed like longs."""
    match source.row.hash:
        case "word" if source.kind == "boolean":
            return fixed_values(values.cast(pa.int32()), np.int32)
        case "word":
            is_narrow = arrow_type(source).bit_width == 32  # noqa: PLR2004  bits
            return fixed_values(values, np.int32 if is_narrow else np.int64)
        case "nanos":
            return fixed_values(values, np.int64) // 1000
        case "float":
            return _double_bits(values)
    raise Unsupported("transform", None, f"type {source}", "a type that the spec hashes")


def _double_bits(values: pa.Array) -> NDArray[np.int64]:
    """Return the bits of doubles, with one form for both zeros and one for all NaNs."""
    doubles = fixed_values(values.cast(pa.float64()), np.float64)
    bits = doubles.view(np.int64).copy()
    bits[doubles == 0] = 0
    bits[np.isnan(doubles)] = _NAN_BITS
    return bits
