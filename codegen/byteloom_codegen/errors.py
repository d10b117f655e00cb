"""Mistakes in specs, told to whoever writes them.

Every mistake has a place (file, line, column, path in the spec), says what was found and what was
wanted, and has a hint where the intent is clear.  All mistakes of a spec are told at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from byteloom_codegen.model import Location

__all__ = ["Problems", "SpecError", "SpecErrors", "SpecWarning"]


def _text(location: Location, message: str, hint: str) -> str:
    return f"{location}: {message} ({hint})" if hint else f"{location}: {message}"


class SpecError(Exception):
    """One mistake.

    location  where it stands
    message   what was found and what was wanted
    hint      what was probably meant; may be empty
    """

    def __init__(self, location: Location, message: str, hint: str = "") -> None:
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
        super().__init__(errors, warnings)
        self.errors = errors
        self.warnings = warnings

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


@dataclass(frozen=True, slots=True)
class SpecWarning:
    """Something legal that is better said otherwise."""

    location: Location
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return _text(self.location, self.message, self.hint)


@dataclass(slots=True)
class Problems:
    """What was found wrong so far."""

    errors: list[SpecError] = field(default_factory=list)
    warnings: list[SpecWarning] = field(default_factory=list)

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Note a mistake raised inside, and go on after the block."""
        try:
            yield
        except SpecError as error:
            self.error(error)

    def error(self, error: SpecError) -> None:
        """Note *error*; the same text is noted once."""
        if all(str(known) != str(error) for known in self.errors):
            self.errors.append(error)

    def warn(self, location: Location, message: str, hint: str = "") -> None:
        """Note a warning."""
        self.warnings.append(SpecWarning(location, message, hint))

    def raise_if_any(self) -> None:
        """Raise all errors together, in the order of the text."""
        if self.errors:
            raise SpecErrors(tuple(sorted(self.errors, key=_order)), tuple(self.warnings))


def _order(error: SpecError) -> tuple[str, int, int]:
    return error.location.file, error.location.line, error.location.column
