"""Open a file of rows, and report errors with its name.

The rules:

- A file must have the size that its manifest entry states; otherwise it is damaged, or another
  file.
- An error of a library becomes a `FormatError` that names the file; running out of memory is not
  the file's fault, and becomes a `StorageError`.

Source: Iceberg table spec, "Manifests" (``file_size_in_bytes``).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.errors import ByteloomError, FormatError, StorageError, Truncated, found_by
from byteloom.redaction import shown_cause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.metadata import Relocation
    from byteloom.storage import Source

__all__ = ["about", "check_rows", "check_size", "open_checked"]


def open_checked(relocation: Relocation, path: str, size: int) -> Source:
    """Open the file with the written path *path*.

    size         the size that its manifest entry states; negative if it states none
    StorageError no such file
    FormatError  a file of another size
    """
    source = relocation.open(path)
    try:
        check_size(path, source.size, size)
    except FormatError:
        source.close()
        raise
    return source


def check_size(path: str, held: int, size: int) -> None:
    """Refuse a file of *held* bytes if its entry states another *size*; negative if unknown."""
    if size >= 0 and held != size:
        kind = Truncated if held < size else FormatError
        raise kind("", None, f"{held} bytes", f"{size} bytes, as its manifest says").in_file(path)


@contextmanager
def about(path: str) -> Iterator[None]:
    """Add the file's name to any error."""
    try:
        yield
    except FormatError as error:
        error.in_file(path)
        raise
    except ByteloomError:
        raise
    except MemoryError as error:  # pyarrow.ArrowMemoryError is one as well
        text = f"{path}: not enough memory to read the file ({_shortly(error)})"
        raise StorageError(text) from shown_cause(error)
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, OverflowError) as error:
        wrong = FormatError("", None, found_by("a damaged file", error), "a sound file")
        raise wrong.in_file(path) from shown_cause(error)


def check_rows(path: str, rows: int, wanted: int | None) -> None:
    """Refuse a file without the *wanted* number of rows, that of its manifest; None if unknown."""
    if wanted is not None and rows != wanted:
        wanted_rows = f"{wanted}, as its manifest says"
        raise FormatError("record_count", None, f"{rows} rows", wanted_rows).in_file(path)


def _shortly(error: BaseException) -> str:
    """Return the first line of a library's message."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
