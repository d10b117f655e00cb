"""What verification reports: all that is wrong with a file as one error, and counts with nouns."""

from __future__ import annotations

from collections.abc import Sequence

from byteloom.errors import ByteloomError

__all__ = ["Damage", "counted"]


class Damage(ByteloomError):
    """All errors in a file, for formats whose check continues after the first one."""

    def __init__(self, errors: Sequence[ByteloomError]) -> None:
        """Keep the *errors*, of which there is at least one."""
        super().__init__(*errors)
        self.errors = list(errors)

    def __str__(self) -> str:
        """The text of the first error."""
        return str(self.errors[0])


def counted(count: int, what: str) -> str:
    """Return a count with its noun, in the plural unless it is 1: ``1 entry``, ``2 entries``."""
    if count == 1:
        return f"1 {what}"
    return f"{count:,} {what[:-1]}ies" if what.endswith("ry") else f"{count:,} {what}s"
