"""The place of something in its spec."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Location"]


@dataclass(frozen=True, slots=True)
class Location:
    """Where something is in its spec.

    file    the path as given
    line    1 is the first; 0 for what is wrong with the whole file
    column  1 is the first
    path    keys from the top: ("types", "footer", "seq", 0)
    """

    file: str
    line: int
    column: int
    path: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        """``file:line:column: /path/in/spec``; of a whole file its name alone."""
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}: /{'/'.join(map(str, self.path))}"
