"""A folder of HFiles that are one sorted table, each with its own range of rows.

- A file's own index and file info say its first and last row, and so which rows to look up in it;
  no separate list can be out of date.
- The end of each file is read once; data is read only from files that may have a row.
- Files whose names begin with ``.`` or ``_`` are unfinished, and left out.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import pairwise
from operator import methodcaller
from typing import Any, NamedTuple, Self

import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.hfile.cells import COLUMNS, schema_of
from byteloom.hfile.keys import Key
from byteloom.hfile.reader import HFile
from byteloom.hfile.reader import open as open_hfile
from byteloom.hfile.search import rows_array
from byteloom.late import pc
from byteloom.storage import Folder

__all__ = ["HFileFolder"]


class _Part(NamedTuple):
    """A file, and the first and the last row in it."""

    first: bytes
    last: bytes
    file: HFile


class HFileFolder:
    """The HFiles of a folder, open; use it in a ``with`` block, or close it.

    Attributes:
        parts: The files that have cells, in the order of their rows.

    Example:
        >>> import pyarrow as pa
        >>> from pathlib import Path
        >>> from byteloom import hfile
        >>> Path("rows").mkdir()
        >>> for name in ("a", "b"):
        ...     with hfile.HFileWriter(f"rows/{name}.hfile") as writer:
        ...         writer.write(pa.table({"row": [f"{name}1", f"{name}2"]}))
        >>> with hfile.HFileFolder("rows") as folder:
        ...     folder.num_rows
        4
    """

    def __init__(
        self, place: str | os.PathLike[str], *, filesystem: Any = None, **options: Any
    ) -> None:
        """Open all files: read their trailers, root indexes and file infos.

        Args:
            place: The path or URL of the folder.
            filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
            **options: The other options of `byteloom.hfile.open`: *limits*, *verify_checksums*,
                *protobuf_keys*, *key* and *cache*.

        Raises:
            FormatError: For a file that is not an HFile or lacks its last key, and for files
                whose ranges of rows overlap.
            StorageError: A file cannot be read.
        """
        folder = Folder(place, filesystem=filesystem)
        names = sorted(name for name in folder.files() if not name.startswith((".", "_")))
        with ExitStack() as opened:
            files = [
                opened.enter_context(
                    open_hfile(f"{folder}/{name}", filesystem=folder.filesystem, **options)
                )
                for name in names
            ]
            parts = [_part(each) for each in files if each.num_rows]
            self.parts = sorted(parts, key=lambda each: (each.first, each.last))
            _check_ranges(self.parts)
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._opened.close()

    @property
    def num_rows(self) -> int:
        """The number of cells in all files, according to their trailers."""
        return sum(each.file.num_rows for each in self.parts)

    def lookup(
        self,
        rows: Iterable[bytes] | pa.Array | pa.ChunkedArray,
        columns: Sequence[str] = COLUMNS,
    ) -> pa.Table:
        """Return the cells of many rows; arguments and result are those of `HFile.lookup`.

        Args:
            rows: The rows, as for `HFile.lookup`.
            columns: Names of columns, as for `HFile.lookup`.
        """
        asked = rows_array(rows)
        order = pc.sort_indices(asked)
        ascending = asked.take(order)
        schema = pa.schema([("asked", pa.int64()), *schema_of(columns, "binary")])
        found = [schema.empty_table()]
        for part in self.parts:
            start, end = (
                bisect_left(ascending, row, key=methodcaller("as_py"))
                for row in (part.first, part.last + b"\0")
            )
            if start < end:
                cells = part.file.lookup(ascending.slice(start, end - start), columns)
                numbers = order.slice(start).take(cells["asked"].combine_chunks()).cast(pa.int64())
                found.append(cells.set_column(0, schema.field(0), numbers))
        joined = pa.concat_tables(found)
        return joined.take(pc.sort_indices(joined["asked"]))


def _part(file: HFile) -> _Part:
    last = file.last_key
    if last is None:
        error = FormatError("file_info.hfile.LASTKEY", None, "nothing", "the last key of the file")
        raise error.in_file(file.file_name or "")
    return _Part(Key.decode(file.root.entries[0].key).row, Key.decode(last).row, file)


def _check_ranges(parts: Sequence[_Part]) -> None:
    """Refuse files that have rows between those of others, or the same row."""
    for one, other in pairwise(parts):
        if other.first <= one.last:
            found = f"rows from {other.first!r}, and up to {one.last!r} in {one.file.file_name}"
            error = FormatError("rows", None, found, "ranges of rows that do not overlap")
            raise error.in_file(other.file.file_name or "")
