"""The form of a Parquet file: its columns and types, which many files of a table share.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from byteloom.kernels.parquet_footers import FILE_FIELDS, find_schema, schema_leaves
from byteloom.kernels.parquet_narrowing import COLUMN_FIELDS, schema_columns
from byteloom.kernels.parquet_writing import put_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["LIBRARY_ERRORS", "Form", "Forms", "opened"]

LIBRARY_ERRORS: Final = (pa.ArrowException, OSError, ValueError)
"""The errors that pyarrow raises for a file that it cannot open."""

_NOTHING: Final = np.frombuffer(b"", np.uint8)
_NONE: Final = np.zeros((0, 8), np.int64)
_ROOM: Final = 1 << 10
"""Bytes of a file without rows, besides its schema."""

_MOST: Final = 64
"""Most forms that are cached, so that a table whose files all differ does not fill the memory."""


@dataclass(frozen=True)
class Form:
    """The columns of one or more files, and their types.

    elements  the list of the schema's elements, as a footer has it
    arrow     the value of ``ARROW:schema``; empty for none
    leaves    int64[leaf, 4]: physical type, bytes of a bound or -1, highest repetition level,
              highest definition level
    """

    elements: bytes
    arrow: bytes
    leaves: Numbers

    @cached_property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the columns; raises `LIBRARY_ERRORS` if Arrow cannot read them."""
        data = np.frombuffer(self.elements + self.arrow, np.uint8)
        first = len(self.elements)
        file = np.array([0, first, first, len(data) if self.arrow else 0, 0, 0], np.int64)
        held = pa.allocate_buffer(len(data) + _ROOM)
        places, out = np.zeros(0, np.int64), np.frombuffer(held, np.uint8)
        size = put_file(_NOTHING, data, file, self.leaves, _NONE, _NONE, _NONE, places, out)
        return opened(held.slice(0, size)).schema_arrow

    @property
    def is_known(self) -> bool:
        """Whether the library can read the columns."""
        try:
            return self.schema is not None
        except LIBRARY_ERRORS:
            return False

    @cached_property
    def columns(self) -> tuple[Numbers, tuple[int, int, int]] | None:
        """The columns that `schema_columns` finds, and their places; None for an unusual schema."""
        columns = np.zeros((len(self.leaves), COLUMN_FIELDS), np.int64)
        count, *places = schema_columns(np.frombuffer(self.elements, np.uint8), 0, columns)
        if count < 1 or columns[count - 1, 4] != len(self.leaves):
            return None
        root, first, last = map(int, places)
        return columns[:count], (root, first, last)

    @property
    def key(self) -> tuple[bytes, bytes]:
        """The key that distinguishes it from other forms."""
        return self.elements, self.arrow

    def is_of(self, footer: Bytes, file: Numbers) -> bool:
        """Return whether *footer* has this form.

        file  int64: where the footer's schema begins and ends, and its ``ARROW:schema``
        """
        held = footer[file[0] : file[1]], footer[file[2] : file[3]]
        own = np.frombuffer(self.elements, np.uint8), np.frombuffer(self.arrow, np.uint8)
        return all(map(np.array_equal, held, own))


class Forms:
    """The forms seen so far; the oldest are dropped when there are too many."""

    def __init__(self) -> None:
        """Begin without forms."""
        self._known: dict[tuple[bytes, bytes], Form] = {}
        self._lock = Lock()
        self.last: Form | None = None

    def of(self, footer: Bytes, *, whole: bool = True) -> Form | None:
        """Return the form of a file by its footer; None for an unusual one.

        whole  whether the schema of all columns is needed
        """
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
                found = self._known.setdefault(key, found)  # another thread may have been first
                if len(self._known) > _MOST:
                    del self._known[next(iter(self._known))]
        if whole and not found.is_known:
            return None
        self.last = found
        return found


def _form(footer: Bytes, file: Numbers, key: tuple[bytes, bytes]) -> Form | None:
    """Return the form of a footer that was not seen before; None for an unusual one."""
    leaves = np.zeros((len(key[0]), 4), np.int64)
    count = schema_leaves(footer, file[0], leaves)
    return None if count < 1 else Form(*key, leaves[:count].copy())


def opened(file: Any, **options: Any) -> pq.ParquetFile:
    """Open a Parquet file, or the bytes of one, with the options used for all files and others."""
    return pq.ParquetFile(
        pa.BufferReader(file) if isinstance(file, pa.Buffer) else file,
        coerce_int96_timestamp_unit="us",
        page_checksum_verification=True,
        arrow_extensions_enabled=False,
        **options,
    )
