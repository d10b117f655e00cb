"""All that is wrong with a file, as one error; and errors about bytes inside a file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Damage", "shifted"]


class Damage(ByteloomError):
    """All that is wrong with a file, where its format can report more than the first thing."""

    def __init__(self, errors: Sequence[ByteloomError]) -> None:
        """Keep the *errors*, one at least."""
        super().__init__(*errors)
        self.errors = list(errors)

    def __str__(self) -> str:
        """The first of them."""
        return str(self.errors[0])


@contextmanager
def shifted(origin: int) -> Iterator[None]:
    """Let errors about bytes that are at *origin* of a file count from the start of the file."""
    try:
        yield
    except FormatError as error:
        if error.offset is not None:
            error.offset += origin
        raise
