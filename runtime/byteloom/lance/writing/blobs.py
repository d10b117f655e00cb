"""Blobs: bytes that are written outside pages; pages have their places.

Source: https://lance.org/format/file/encoding/#blob-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.lance.fields import BLOB, is_true
from byteloom.lance.writing.values import values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_generated.lance.tail import Extent

__all__ = ["is_blob", "written_blobs"]


def is_blob(field: pa.Field) -> bool:
    """Return whether the values of a field are written outside pages."""
    return field.type == pa.large_binary() and is_true(field.metadata or {}, BLOB.encode())


def written_blobs(array: pa.Array, nulls: np.ndarray, put: Callable[[Any], Extent]) -> np.ndarray:
    """Write the bytes of an array; return the place and the size of each value.

    Args:
        nulls: For each value 0, or the position that marks it as null.
        put: Writes bytes, and returns their place.
    """
    values: Any = values_of(array)
    places = np.zeros((len(array), 2), "<u8")
    places[:, 0] = nulls
    sizes = np.where(nulls > 0, 0, np.diff(values.offsets))
    for row in np.flatnonzero(sizes).tolist():
        found = put(values.data[values.offsets[row] : values.offsets[row + 1]].data)
        places[row] = found.offset, found.size
    return places
