"""Report errors of a file with its name.

The rules:

- An error of a library becomes a `FormatError` that names the file; running out of memory is not
  the file's fault, and becomes a `StorageError`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import ByteloomError, FormatError, StorageError, found_by
from byteloom.redaction import shown_cause

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["READING_ERRORS", "about"]

_OF_PYTHON: Final = (OSError, ValueError, KeyError, IndexError, OverflowError)
READING_ERRORS: Final = (pa.ArrowException, *_OF_PYTHON)
"""The errors that libraries raise when they read a damaged file."""


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
    except READING_ERRORS as error:
        wrong = FormatError("", None, found_by("a damaged file", error), "a sound file")
        raise wrong.in_file(path) from shown_cause(error)


def _shortly(error: BaseException) -> str:
    """Return the first line of a library's message."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
