"""What Bloom filters hash: keys as runs of one buffer, from columns of Arrow.

- A filter of rows hashes the row, or its first bytes.
- A filter of rows and columns hashes a cell key without a family, which comes before all
  timestamps: length, row, the byte 0, qualifier, 2^63 - 1, the byte 255.

Source: specs/hfile/bloom.ksy
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.kernels import hfile_blooms
from byteloom.kernels.hfile_cells import KEY_LEAST

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ALL", "Binaries", "Keys", "column_keys", "keys_of", "no_names"]

Binaries: TypeAlias = "pa.Array | pa.ChunkedArray | Iterable[bytes]"
"""A column of bytes: an Arrow array of any binary or string type, a NumPy array, or a list."""

ALL: Final = 1 << 62
"""A bound on the bytes of a key for filters that hash whole keys; no key is as long."""


class Keys(NamedTuple):
    """Keys as runs of one buffer: key i is *data* from ``ends[i]`` to ``ends[i + 1]``."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self.ends) - 1

    def at(self, index: int) -> bytes:
        """Return one key."""
        return self.data[self.ends[index] : self.ends[index + 1]].tobytes()

    @property
    def size(self) -> int:
        """Bytes of all keys."""
        return int(self.ends[-1] - self.ends[0])

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Bytes of each key."""
        return self.ends[1:] - self.ends[:-1]

    def joined(self) -> bytes:
        """Return the bytes of all keys, one after the other."""
        return self.data[self.ends[0] : self.ends[-1]].tobytes()

    def part(self, begin: int, end: int) -> Keys:
        """Return some of the keys."""
        return Keys(self.data, self.ends[begin : end + 1])

    def to_arrow(self) -> pa.LargeBinaryArray:
        """Return the keys as a column, without copying."""
        buffers = [None, pa.py_buffer(self.ends), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_binary(), len(self), buffers)


def keys_of(column: Binaries) -> Keys:
    """Return the values of *column*, none of them null; a contiguous Arrow array is not copied."""
    array = _whole(column)
    if array.null_count:
        raise FormatError("keys", None, f"{array.null_count} nulls", "bytes in every row")
    array = array.cast(pa.large_binary())
    _, ends, data = array.buffers()
    if not len(array):
        return Keys(np.empty(0, np.uint8), np.zeros(1, np.int64))
    bounds = np.frombuffer(ends, np.int64)[array.offset : array.offset + len(array) + 1]
    bytes_ = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return Keys(bytes_, bounds)


def _whole(column: Any) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    if isinstance(column, pa.Array):
        return column
    values = list(column)
    return pa.array(values, None if values else pa.binary())


def no_names(count: int) -> Keys:
    """Return *count* empty keys."""
    return Keys(np.empty(0, np.uint8), np.zeros(count + 1, np.int64))


def column_keys(rows: Keys, names: Keys) -> Keys:
    """Return the keys that a filter of rows and columns hashes."""
    if len(rows) != len(names):
        raise FormatError(
            "keys", None, f"{len(names)} qualifiers", f"{len(rows)}, one for each row"
        )
    size = rows.size + names.size + KEY_LEAST * len(rows)
    keys = Keys(np.empty(size, np.uint8), np.empty(len(rows) + 1, np.int64))
    hfile_blooms.column_keys(*rows, *names, *keys)
    return keys
