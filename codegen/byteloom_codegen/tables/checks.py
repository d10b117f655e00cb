"""The checks that all forms of tables share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from byteloom_codegen.errors import GenerateError, Problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from byteloom_codegen.frontend.place import Place

__all__ = [
    "META_KEYS",
    "NAME",
    "checked",
    "distinct",
    "matching",
    "needed",
    "one_of",
    "only",
    "read",
    "text_of",
]

META_KEYS: Final = ("id", "form", "title", "license", "doc", "doc-ref")
NAME: Final = re.compile(r"[a-z][a-z0-9_]*")

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


def checked(make: Callable[[_Given, Problems], _Made], given: _Given) -> _Made:
    """Return ``make(given)``; `SpecErrors` for all mistakes that it notes or raises."""
    problems = Problems()
    made = problems.attempt(make, given, problems)
    problems.raise_if_any()
    assert made is not None  # noqa: S101  or an error was raised
    return made


def read(path: Path) -> str:
    """The text of a spec."""
    try:
        if path.exists() and not path.is_file():  # a named pipe would block whoever opens it
            raise GenerateError(f"{path}: not a regular file")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise GenerateError(f"{path}: {error}") from error


def needed(place: Place, key: str) -> Place:
    """The value of a key that must be there."""
    found = place.get(key)
    if found is None:
        raise place.missing(key).error(f"expected key '{key}'")
    return found


def text_of(place: Place, key: str) -> str:
    """The text of a key that must be there."""
    return needed(place, key).text().strip()


def matching(place: Place, pattern: re.Pattern[str], wanted: str) -> str:
    """A name of that form."""
    text = place.string()
    if not pattern.fullmatch(text):
        raise place.error(f"expected {wanted}, got {place.found}")
    return text


def only(place: Place, keys: Iterable[str], problems: Problems) -> None:
    """Note every other key."""
    for key, value in place.pairs():
        if key not in keys:
            problems.error(value.key_error(f"unknown key '{key}'", one_of(keys)))


def distinct(place: Place, keys: Iterable[str], problems: Problems) -> None:
    """Note every key that came before."""
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            problems.error(place.error(f"two fields named '{key}'"))
        seen.add(key)


def one_of(keys: Iterable[str]) -> str:
    """Return the allowed keys in words."""
    return f"one of {', '.join(keys)}"
