"""The option ``--columns`` of all commands, and the errors about unknown columns."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from byteloom import arguments
from byteloom.errors import ArgumentError
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Columns", "Fields", "check_distinct", "check_names", "names_of", "unknown"]

_SHOWN: Final = 100
"""The most names of columns in an error about one that does not exist."""

Columns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--columns", "-c", metavar="NAME,...", help="Only these columns, in this order; repeatable."
    ),
]
"""Names, any number in one option; one that has a comma is quoted as in CSV."""

Fields: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        "-c",
        metavar="NAME,...",
        help="Only these columns, in this order; a.b is a field inside of a; repeatable.",
    ),
]
"""The same, of commands that take fields inside of columns."""


def names_of(given: Any) -> list[str] | None:
    """Return the names that ``--columns`` has; None where it was not given."""
    return [name for line in csv.reader(given) for name in line] if given else None


def check_names(names: Iterable[str], there: Iterable[str], place: str) -> None:
    """Refuse names that are not among *there*, the columns of *place*.

    ArgumentError  the first unknown name
    """
    known = list(there)
    for name in names:
        if name not in known:
            error = ArgumentError("columns", None, repr(name), unknown(name, known))
            raise error.in_file(place)


def check_distinct(names: Iterable[str], place: str) -> None:
    """Refuse two columns of one name.

    ArgumentError  the first name that another column has
    """
    with about_file(place):
        arguments.check_distinct("columns", names, "columns")


def unknown(name: str, there: list[str]) -> str:
    """Return what an error wants instead of a name that is not *there*, with all that are."""
    names = arguments.listed(there, _SHOWN)
    return f"a column of the schema: {names}{arguments.suggestion(name, there)}"
