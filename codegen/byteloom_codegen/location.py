"""The place of something in its spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

__all__ = ["CaseKey", "Location"]


class CaseKey(str):
    """A key of a path that is an expression: the tree that the official compiler names it by.

    written  the key as the spec has it, which a person reads
    """

    __slots__ = ("written",)
    written: str

    def __new__(cls, tree: str, written: str) -> Self:
        """Keep both."""
        key = super().__new__(cls, tree)
        key.written = written
        return key

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Return both, for a copy."""
        return str(self), self.written


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
        keys = (each.written if isinstance(each, CaseKey) else str(each) for each in self.path)
        return f"{self.file}:{self.line}:{self.column}: /{'/'.join(keys)}"
