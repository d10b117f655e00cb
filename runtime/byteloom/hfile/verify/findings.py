"""What verification finds: errors that are collected and not raised, and remarks.

A finding is the error that reading would raise: where, found, wanted.  A note is a habit of some
writer that a reader has to know, but not damage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from byteloom.errors import FormatError, LimitExceeded, beginning

__all__ = ["Findings"]

_SHOWN: Final = 40
"""Most bytes of a value that a finding has whole."""


class Findings:
    """The errors of one file, in the order in which they were met, and its notes.

    Attributes:
        skipped: Whether limits kept some part from being checked.
    """

    def __init__(self) -> None:
        """Begin without findings and notes."""
        self.errors: list[FormatError] = []
        self.notes: list[str] = []
        self.skipped = False

    def add(self, path: str, offset: int | None, found: object, wanted: str) -> None:
        """Record that something is not as it should be."""
        self.errors.append(FormatError(path, offset, found, wanted))

    def extend(self, errors: Iterable[FormatError]) -> None:
        """Record errors that were made elsewhere."""
        self.errors += errors

    def expect(self, path: str, offset: int | None, found: object, wanted: object) -> bool:
        """Record *found* as a finding unless it equals *wanted*; return whether it does."""
        if found != wanted:
            self.add(path, offset, _short(found), str(_short(wanted)))
        return found == wanted

    def note(self, text: str) -> None:
        """Record a habit of the writer, once."""
        if text not in self.notes:
            self.notes.append(text)

    @contextmanager
    def collected(self, offset: int | None = None) -> Iterator[None]:
        """Turn an error raised in the ``with`` block into a finding."""
        try:
            yield
        except FormatError as error:
            error.offset = offset if error.offset is None else error.offset
            self.skipped |= isinstance(error, LimitExceeded)
            self.errors.append(error)


def _short(value: object) -> object:
    is_long = isinstance(value, bytes) and len(value) > _SHOWN
    return beginning(value, _SHOWN) if is_long else value
