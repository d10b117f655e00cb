"""Mistakes in specs, as reported to their authors, and the places that they name.

Every mistake has a place (file, line, column, path in the spec), says what was found and what was
wanted, and has a hint where the intent is clear, such as the name that a misspelt one was probably
meant to be.  All mistakes of a spec are reported at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

__all__ = [
    "CaseKey",
    "GenerateError",
    "Location",
    "Problems",
    "SpecError",
    "SpecErrors",
    "SpecWarning",
    "did_you_mean",
    "nearest",
]


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


Result = TypeVar("Result")


def _text(location: Location, message: str, hint: str) -> str:
    return f"{location}: {message} ({hint})" if hint else f"{location}: {message}"


class GenerateError(Exception):
    """Nothing could be generated, for a reason other than a mistake in a spec."""


class SpecError(Exception):
    """One mistake.

    location  where it is
    message   what was found and what was wanted
    hint      what was probably meant; may be empty
    """

    def __init__(self, location: Location, message: str, hint: str = "") -> None:
        """Keep the three as attributes."""
        super().__init__(location, message, hint)
        self.location = location
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return _text(self.location, self.message, self.hint)


class SpecErrors(Exception):
    """All mistakes of a spec and of what it imports, in the order of the files.

    errors    the mistakes, at least one
    warnings  what is legal but better said otherwise
    """

    def __init__(
        self, errors: tuple[SpecError, ...], warnings: tuple[SpecWarning, ...] = ()
    ) -> None:
        """Keep both as attributes."""
        super().__init__(errors, warnings)
        self.errors = errors
        self.warnings = warnings

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


@dataclass(frozen=True, slots=True)
class SpecWarning:
    """Something legal that is better said otherwise.

    encoding  the name of the encoding that it is about, which is unknown; else ""
    """

    location: Location
    message: str
    hint: str = ""
    encoding: str = ""

    def __str__(self) -> str:
        return _text(self.location, f"warning: {self.message}", self.hint)


@dataclass(slots=True)
class Problems:
    """What was found wrong so far.

    As a context it notes a mistake raised inside, and goes on after the block.
    """

    errors: list[SpecError] = field(default_factory=list)
    warnings: list[SpecWarning] = field(default_factory=list)
    _noted: set[str] = field(default_factory=set)

    def __enter__(self) -> None:
        """Begin a block in which a mistake ends only the block."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, SpecError):
            self.error(error)
        return isinstance(error, SpecError)

    def attempt(self, read: Callable[..., Result], *args: object) -> Result | None:
        """Return what *read* returns; None where it raises a mistake, which is noted."""
        with self:
            return read(*args)
        return None

    def error(self, error: SpecError) -> None:
        """Note *error*; the same text is noted once."""
        if str(error) not in self._noted:
            self._noted.add(str(error))
            self.errors.append(error)

    def warn(self, location: Location, message: str, *, encoding: str = "") -> None:
        """Note a warning; the same one is noted once.

        encoding  the name of an unknown encoding, if it is about one
        """
        found = SpecWarning(location, message, encoding=encoding)
        if str(found) not in self._noted:
            self._noted.add(str(found))
            self.warnings.append(found)

    def raise_if_any(self) -> None:
        """Raise all errors together, in the order of the text."""
        if self.errors:
            raise SpecErrors(tuple(sorted(self.errors, key=_order)), tuple(self.warnings))


def _order(error: SpecError) -> tuple[str, int, int]:
    return error.location.file, error.location.line, error.location.column


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the one of *names* that is most like *name*; None if none is like it."""
    from difflib import get_close_matches  # late: most specs have no mistakes

    close = get_close_matches(name, sorted(names), 1)
    return close[0] if close else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the hint for a misspelt *name*; empty if none of *names* is like it."""
    found = nearest(name, names)
    return "" if found is None else f"did you mean '{found}'?"
