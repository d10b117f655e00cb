"""Everything wrong with a file as one error, and errors about bytes inside a file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Damage", "shifted"]


class Damage(ByteloomError):
    """All errors in a file, for formats whose check continues after the first one."""

    def __init__(self, errors: Sequence[ByteloomError]) -> None:
        """Keep the *errors*, of which there is at least one."""
        super().__init__(*errors)
        self.errors = list(errors)

    def __str__(self) -> str:
        """The text of the first error."""
        return str(self.errors[0])


@contextmanager
def shifted(origin: int) -> Iterator[None]:
    """Add *origin* to the offset of a `FormatError`, which then counts from the file's start."""
    try:
        yield
    except FormatError as error:
        if error.offset is not None:
            error.offset += origin
        raise
