"""Deletion files of Lance datasets: which rows of a fragment are deleted.

- If few rows are deleted, they are Arrow files with a column of 32-bit positions; otherwise Roaring
  bitmaps.
- What the batches of an Arrow file take in memory is added up before any of them is decompressed.
  Its footer, and the metadata of each message, are FlatBuffers: tables whose fields are at offsets
  that a small table of theirs lists, and vectors of structs.  Each buffer of a compressed batch
  begins with its size, as 64 bits; -1 marks one that is stored raw.

Source: https://lance.org/format/table/#deletion-files,
https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
"""

from __future__ import annotations

import struct
from struct import calcsize, unpack_from
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Unsupported, found_by
from byteloom.files.kinds import ARROW, found_instead
from byteloom.storage.naming import about_file
from byteloom.storage.sources import BytesSource, read_whole
from byteloom_generated.lance.table import DeletionFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from pyroaring import BitMap

    from byteloom.limits import Limits
    from byteloom.storage import Folder

__all__ = ["bitmap_of", "buffer_sizes", "deletion_name", "read_deletions", "stored_deletions"]

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


_BATCHES: Final = 3
"""The field of a footer that has the places of batches."""

_HEADER: Final = 2
"""The field of a message that has its header."""

_BUFFERS: Final = 2
_COMPRESSION: Final = 3
"""Fields of a record batch."""

_TAIL: Final = 10
"""Bytes of the length of the footer, and of the magic."""

_PREFIX: Final = 8
"""Bytes of the size that a compressed buffer begins with."""

_RAW: Final = -1


def buffer_sizes(data: pa.Buffer) -> Iterator[int]:
    """Yield the bytes that each buffer of each record batch of an Arrow file takes in memory.

    Raises:
        ValueError: For damage, and what pyarrow raises.
    """
    try:
        for offset, size in _batches(data):
            message = pa.ipc.read_message(data[offset : offset + size])
            yield from _sizes(bytes(message.metadata), message.body)
    except struct.error as problem:
        raise ValueError("fields outside of their table") from problem
    except EOFError as problem:
        raise ValueError("a batch without a message") from problem


def _batches(data: pa.Buffer) -> Iterator[tuple[int, int]]:
    """Yield the offset and the size of each record batch, by the footer."""
    (length,) = unpack_from("<i", data, data.size - _TAIL)
    start = data.size - _TAIL - length
    if not 0 <= start <= data.size - _TAIL:
        raise ValueError("a footer outside of the file")
    footer = bytes(data[start : data.size - _TAIL])
    field = _field(footer, _follow(footer, 0), _BATCHES)
    for at in _items(footer, field, "<qiiq"):
        offset, metadata, _, body = unpack_from("<qiiq", footer, at)
        size = metadata + body
        if not 0 <= offset <= offset + size <= data.size:
            raise ValueError("a batch outside of the file")
        yield offset, size


def _sizes(metadata: bytes, body: pa.Buffer) -> Iterator[int]:
    """Yield the sizes of the buffers of a message with a record batch."""
    header = _field(metadata, _follow(metadata, 0), _HEADER)
    if header is None:
        raise ValueError("a message without a header")
    batch = _follow(metadata, header)
    is_compressed = _field(metadata, batch, _COMPRESSION) is not None
    for at in _items(metadata, _field(metadata, batch, _BUFFERS), "<qq"):
        offset, size = unpack_from("<qq", metadata, at)
        if not 0 <= offset <= offset + size <= body.size:
            raise ValueError("a buffer outside of its message")
        if is_compressed and size:
            (whole,) = unpack_from("<q", body, offset)
            size = size - _PREFIX if whole == _RAW else whole
        if size < 0:
            raise ValueError("a buffer of negative size")
        yield size


def _items(data: bytes, field: int | None, layout: str) -> range:
    """The places of the structs of a vector; nothing where the field is absent."""
    if field is None:
        return range(0)
    vector = _follow(data, field)
    (count,) = unpack_from("<I", data, vector)
    width = calcsize(layout)
    return range(vector + 4, vector + 4 + count * width, width)


def _follow(data: bytes, at: int) -> int:
    """The place that the offset at a place leads to."""
    (offset,) = unpack_from("<I", data, at)
    return at + int(offset)


def _field(data: bytes, table: int, number: int) -> int | None:
    """The place of a field of a table; None where it is absent."""
    (back,) = unpack_from("<i", data, table)
    listed = table - int(back)
    if listed < 0:
        raise ValueError("a table outside of its message")
    (size,) = unpack_from("<H", data, listed)
    at = 4 + 2 * number
    if at + 2 > size:
        return None
    (offset,) = unpack_from("<H", data, listed + at)
    return table + int(offset) if offset else None
