"""Errors that tell in which of a table's many files they are."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["inside_file"]


@contextmanager
def inside_file(name: str) -> Iterator[None]:
    """Put the *name* of a file before the path of an error of its bytes."""
    try:
        yield
    except FormatError as error:
        if not error.path.startswith(f"{name}: "):
            error.path = f"{name}: {error.path}"
            error.args = (error.path, error.offset, error.found, error.wanted)
        raise
