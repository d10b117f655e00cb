"""Compare a file of rows with what its manifest entry states.

The rules:

- The size and the number of rows that a manifest states are hints: a sound file is read though one
  of them is wrong.  A file that contradicts both is another one, or was cut off: it is refused.  So
  is a file that cannot be opened, with its size as the reason, and a file of Avro with another
  number of rows, since it states none itself.
- A number of 0 rows says nothing, since some converters write it for every file.

Source: Iceberg table spec, "Manifests" (``file_size_in_bytes``).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from byteloom.errors import FormatError, Truncated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.datafiles.data_file import DataFile
    from byteloom.iceberg.planning.plan import DeleteFile, FileTask

__all__ = ["check_hints", "check_size", "fitting"]


@contextmanager
def fitting(path: str, held: int, size: int) -> Iterator[None]:
    """Blame damage on the size of a file, if it has *held* bytes and its entry states another."""
    try:
        yield
    except FormatError:
        check_size(path, held, size)
        raise


def check_size(path: str, held: int, size: int) -> None:
    """Refuse a file of *held* bytes if its entry states another *size*; negative if unknown."""
    if size >= 0 and held != size:
        kind = Truncated if held < size else FormatError
        raise kind("", None, f"{held} bytes", f"{size} bytes, as its manifest says").in_file(path)


def check_hints(described: FileTask | DeleteFile, data: DataFile, rows: int) -> None:
    """Refuse a file of *rows* rows if its entry states others, and nothing in the file denies it.

    Its size denies that it is another file, its footer that rows are missing.
    """
    path, stated = described.file_path, described.record_count
    if stated in {None, 0, rows}:
        return
    check_size(path, data.size, described.file_size_in_bytes)
    if data.rows is None:
        wanted = f"{stated}, as its manifest says"
        raise FormatError("record_count", None, f"{rows} rows", wanted).in_file(path)
