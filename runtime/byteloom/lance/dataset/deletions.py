"""Deletion files of Lance datasets: which rows of a fragment are deleted.

If few rows are deleted, they are Arrow files with a column of 32-bit positions; otherwise Roaring
bitmaps.

Source: https://lance.org/format/table/#deletion-files
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Unsupported, found_by
from byteloom.files.kinds import ARROW, found_instead
from byteloom.lance.dataset.arrow_sizes import buffer_sizes
from byteloom.storage.naming import about_file
from byteloom.storage.sources import BytesSource
from byteloom.storage.whole import read_whole
from byteloom_generated.lance.table import DeletionFile

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyroaring import BitMap

    from byteloom.limits import Limits
    from byteloom.storage import Folder

__all__ = ["bitmap_of", "deletion_name", "read_deletions", "stored_deletions"]

_POSITION: Final = 4
"""Bytes of a position in an Arrow file."""

_KINDS: Final = {
    DeletionFile.DeletionFileType.ARROW_ARRAY: "arrow",
    DeletionFile.DeletionFileType.BITMAP: "bin",
}


def deletion_name(fragment: int, stored: DeletionFile) -> str:
    """Return the name of a deletion file below the root of its dataset.

    Raises:
        Unsupported: For an unknown type.
    """
    if stored.file_type not in _KINDS:
        wanted = "an Arrow file (0) or a bitmap (1)"
        raise Unsupported("deletion_file.file_type", None, stored.file_type, wanted)
    kind = _KINDS[DeletionFile.DeletionFileType(stored.file_type)]
    return f"_deletions/{fragment}-{stored.read_version}-{stored.id}.{kind}"


def read_deletions(
    folder: Folder, fragment: int, stored: DeletionFile, rows: int, limits: Limits
) -> NDArray[np.int64]:
    """Return the positions of the deleted rows of a fragment, ascending.

    Args:
        folder: The root that the deletion file is below.
        fragment: The fragment's id.
        rows: Number of its rows, including deleted ones.

    Raises:
        FormatError: For damage, and for positions beyond the last row.
    """
    name = deletion_name(fragment, stored)
    source = folder.open(name)
    try:
        data = read_whole(source, limits)
    finally:
        source.close()
    with about_file(source.name):
        is_bitmap = stored.file_type == DeletionFile.DeletionFileType.BITMAP
        found = np.unique(_from_bitmap(data, rows) if is_bitmap else _from_arrow(data, limits))
        if len(found):
            _check_last(int(found[-1]), rows)
        if stored.num_deleted_rows and len(found) != stored.num_deleted_rows:
            wanted = f"{stored.num_deleted_rows} (deletion_file.num_deleted_rows)"
            raise FormatError("row_id", None, f"{len(found)} rows", wanted)
    return found


def stored_deletions(rows: NDArray[np.int64]) -> tuple[DeletionFile.DeletionFileType, bytes]:
    """Return the form in which positions take fewer bytes, and the bytes of the file.

    Args:
        rows: The positions, ascending.
    """
    from pyroaring import BitMap

    data = BitMap(rows.astype(np.uint32)).serialize()
    if len(data) < rows.size * _POSITION:
        return DeletionFile.DeletionFileType.BITMAP, data
    schema = pa.schema([pa.field("row_id", pa.uint32(), nullable=False)])
    out = pa.BufferOutputStream()
    with pa.ipc.new_file(out, schema) as writer:
        writer.write(pa.record_batch([pa.array(rows, pa.uint32())], schema))
    return DeletionFile.DeletionFileType.ARROW_ARRAY, out.getvalue().to_pybytes()


def bitmap_of(data: bytes, path: str) -> BitMap:
    """Return the Roaring bitmap that *data* is.

    Args:
        path: Its name in errors.

    Raises:
        FormatError: For damage, and for bytes after its end.
    """
    from byteloom.codecs.roaring import Bytes, bitmap_at

    bitmap, end = bitmap_at(Bytes(data, path), 0)
    if end != len(data):
        raise FormatError(path, end, f"{len(data) - end} bytes after its end", "none")
    return bitmap


def _check_last(position: int, rows: int) -> None:
    """Refuse a position past the last of the *rows* of a fragment."""
    if position >= rows:
        wanted = f"positions below {rows}, the rows of the fragment"
        raise FormatError("row_id", None, position, wanted)


def _from_bitmap(data: bytes, rows: int) -> NDArray[np.int64]:
    bitmap = bitmap_of(data, "bitmap")
    if bitmap:  # checked first: a small bitmap may have billions of positions
        _check_last(bitmap.max(), rows)
    return np.array(bitmap.to_array(), np.int64)


def _from_arrow(data: bytes, limits: Limits) -> NDArray[np.int64]:
    found = found_instead(BytesSource(data), ARROW)
    if found is not None:
        raise FormatError("deletion_file", None, found, ARROW)
    try:
        _check_size(sum(buffer_sizes(pa.py_buffer(data))), limits)
        with pa.ipc.open_file(pa.BufferReader(data)) as reader:
            _check_schema(reader.schema)
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        wrong = found_by("an unreadable file", error)
        raise FormatError("deletion_file", None, wrong, ARROW) from error
    column: Any = table.column(0)
    if column.null_count:
        raise FormatError("row_id", None, f"{column.null_count} nulls", "none")
    return np.asarray(column.to_numpy(), np.int64)


def _check_size(size: int, limits: Limits) -> None:
    """Refuse a file that takes more memory than limits allow, before it is decompressed."""
    most = limits.decompressed_size
    if size > most:
        wanted = f"at most {most} (limits.decompressed_size)"
        raise LimitExceeded("deletion_file", None, f"{size} bytes of positions", wanted)


def _check_schema(schema: pa.Schema) -> None:
    if schema.types != [pa.uint32()]:
        found = ", ".join(map(str, schema.types)) or "no columns"
        raise FormatError("deletion_file.schema", None, found, "one column of uint32")
