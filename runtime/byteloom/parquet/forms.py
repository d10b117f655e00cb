"""What the columns of a Parquet file are: its form, which many files of a table have in common.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["LIBRARY_ERRORS", "Form", "Forms", "opened"]

LIBRARY_ERRORS: Final = (pa.ArrowException, OSError, ValueError)
"""What the library raises over a file that it cannot open."""

_NOTHING: Final = np.frombuffer(b"", np.uint8)
_NONE: Final = np.zeros((0, 8), np.int64)
_ROOM: Final = 1 << 10
"""Bytes of a file of no rows, beside its schema."""

_MOST: Final = 64
"""Forms that are kept: a table whose files are all different does not fill the memory."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the columns of some files are.

    elements  the list of the schema's elements, as a footer has it
    arrow     the value of ``ARROW:schema``; empty for none
    leaves    int64[leaf, 4]: physical type, bytes of a bound or -1, highest repetition level,
              highest definition level
    schema    what Arrow makes of them
    """

    elements: bytes
    arrow: bytes
    leaves: Numbers
    schema: pa.Schema

    @property
    def key(self) -> tuple[bytes, bytes]:
        """What distinguishes it from others."""
        return self.elements, self.arrow

    def is_of(self, footer: Bytes, file: Numbers) -> bool:
        """Whether it is that of a footer.

        file  int64: where the footer's schema begins and ends, and its ``ARROW:schema``
        """
        held = footer[file[0] : file[1]], footer[file[2] : file[3]]
        own = np.frombuffer(self.elements, np.uint8), np.frombuffer(self.arrow, np.uint8)
        return all(map(np.array_equal, held, own))


class Forms:
    """The forms that were met so far; the oldest go when there are too many."""

    def __init__(self) -> None:
        """Know none yet."""
        self._known: dict[tuple[bytes, bytes], Form] = {}
        self._lock = Lock()
        self.last: Form | None = None

    def of(self, footer: Bytes) -> Form | None:
        """Return the form of the file that has a footer; None for an unusual one."""
        from byteloom.kernels.parquet_schema import FILE_FIELDS, find_schema

        file = np.zeros(FILE_FIELDS, np.int64)
        find_schema(footer, file)
        if not file[1] or file[2] < 0:
            return None
        key = footer[file[0] : file[1]].tobytes(), footer[file[2] : file[3]].tobytes()
        with self._lock:
            found = self._known.get(key)
        if found is None:
            found = _form(footer, file, key)
            if found is None:
                return None
            with self._lock:
                self._known[key] = found
                if len(self._known) > _MOST:
                    del self._known[next(iter(self._known))]
        self.last = found
        return found


def _form(footer: Bytes, file: Numbers, key: tuple[bytes, bytes]) -> Form | None:
    """A form that is new."""
    from byteloom.kernels.parquet_schema import schema_leaves
    from byteloom.kernels.parquet_writing import put_file

    leaves = np.zeros((len(key[0]), 4), np.int64)
    count = schema_leaves(footer, file[0], leaves)
    if count < 1:
        return None
    leaves = leaves[:count].copy()
    held = pa.allocate_buffer(sum(map(len, key)) + _ROOM)
    places, out = np.zeros(0, np.int64), np.frombuffer(held, np.uint8)
    size = put_file(_NOTHING, footer, file, leaves, _NONE, _NONE, _NONE, places, out)
    try:
        return Form(*key, leaves, opened(held.slice(0, size)).schema_arrow)
    except LIBRARY_ERRORS:
        return None


def opened(image: pa.Buffer) -> pq.ParquetFile:
    """Open a file in memory, as all files are read."""
    return pq.ParquetFile(
        pa.BufferReader(image),
        coerce_int96_timestamp_unit="us",
        page_checksum_verification=True,
        arrow_extensions_enabled=False,
    )
