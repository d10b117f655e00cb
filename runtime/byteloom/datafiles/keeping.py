"""Keep the rows of a piece that are left after deletes and filters.

The rules:

- Every column must have a value for each flag, since Arrow would not notice one that is longer.
- Rows are taken by number if at most half of them stay, since that takes as long as there are rows
  to take; otherwise they are filtered, which copies runs of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["kept"]


def kept(arrays: Sequence[pa.Array], keep: NDArray[np.bool_]) -> list[pa.Array]:
    """Return the columns *arrays* with only those rows whose flag in *keep* is set.

    FormatError  a column with another number of values, which damaged pages can have
    """
    for each in arrays:
        if len(each) != len(keep):
            raise FormatError("columns", None, f"a column of {len(each)} values", f"{len(keep)}")
    if np.count_nonzero(keep) * 2 <= len(keep):
        numbers = pa.array(np.flatnonzero(keep))
        return [each.take(numbers) for each in arrays]
    flags = pa.array(keep)
    return [each.filter(flags) for each in arrays]
