"""What scanners do not support, as an error with its place in the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from byteloom_codegen.model import Location

__all__ = ["NotScannableError"]


class NotScannableError(Exception):
    """Scanners do not support something in a record; the text says what, and where."""

    def __init__(self, location: Location, reason: str) -> None:
        """Keep both as attributes."""
        super().__init__(f"{location}: {reason}")
        self.location = location
        self.reason = reason
