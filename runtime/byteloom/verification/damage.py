"""Everything wrong with a file as one error."""

from __future__ import annotations

from collections.abc import Sequence

from byteloom.errors import ByteloomError

__all__ = ["Damage"]


class Damage(ByteloomError):
    """All errors in a file, for formats whose check continues after the first one."""

    def __init__(self, errors: Sequence[ByteloomError]) -> None:
        """Keep the *errors*, of which there is at least one."""
        super().__init__(*errors)
        self.errors = list(errors)

    def __str__(self) -> str:
        """The text of the first error."""
        return str(self.errors[0])
