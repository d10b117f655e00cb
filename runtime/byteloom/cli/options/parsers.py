"""What values of options mean: numbers, sizes, ports, pairs of a name and a value, rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "Rows",
    "number",
    "one_of",
    "pairs",
    "port",
    "range_of",
    "row_number",
    "size",
]

_LAST: Final = (1 << 63) - 1
"""The number of the last row, for a range without an end."""

_LAST_PORT: Final = 65_535


def one_of(*known: str) -> Callable[[], list[str]]:
    """Return a function that completes the values of an option for a shell."""
    return lambda: list(known)


def number(text: str | int) -> int:
    """Parse a number, 0 or more; unlike typer's own, help shows no range."""
    if not str(text).isdecimal():
        raise typer.BadParameter(f"found {text!r}, wanted a number, 0 or more")
    return int(text)


def size(text: str | int) -> int:
    """Return the number of bytes that a text as ``64m`` says."""
    from byteloom.spark.options import SIZE

    try:
        return int(SIZE.read(str(text)))
    except ValueError:
        raise typer.BadParameter(f"found {text!r}, wanted {SIZE.name}") from None


def port(text: str | int) -> int:
    """Return the number of a port that *text* is."""
    found = number(text)
    if found > _LAST_PORT:
        raise typer.BadParameter(f"found {text!r}, wanted a port, 0 to {_LAST_PORT}")
    return found


def pairs(
    given: Iterable[str] | None,
    option: str,
    form: str = "NAME=VALUE",
    *,
    may_be_empty: bool = False,
) -> dict[str, str]:
    """Return values by their names, of texts of the *form* ``NAME=VALUE``.

    may_be_empty  whether an empty value is one
    raises        `typer.BadParameter`, for *option*
    """
    found = {}
    for each in given or ():
        name, equals, value = each.partition("=")
        if not (name and equals and (value or may_be_empty)):
            raise typer.BadParameter(f"found {each!r}, wanted {form}", param_hint=option)
        found[name] = value
    return found


def range_of(rows: str | None) -> range:
    """Return the numbers of the rows that ``--rows`` means; all where it is not given.

    raises  `typer.BadParameter` for anything but two numbers, of which the first is not greater
    """
    if rows is None:
        return range(_LAST)
    start, colon, stop = rows.partition(":")
    if not colon:
        raise typer.BadParameter(f"found {rows!r}, wanted FROM:TO", param_hint="--rows")
    first = row_number(start, "--rows") if start else 0
    last = row_number(stop, "--rows") if stop else _LAST
    if first > last:
        raise typer.BadParameter(f"found {rows!r}, wanted FROM up to TO", param_hint="--rows")
    return range(first, last)


def row_number(text: str, option: str) -> int:
    """Return the number of a row that *text* is; `typer.BadParameter`, for *option*, otherwise."""
    if not (text.isascii() and text.isdigit() and len(text) < 20):  # noqa: PLR2004  2 to the 63
        raise typer.BadParameter(f"found {text!r}, wanted the number of a row", param_hint=option)
    return int(text)


Rows = Annotated[
    str | None,
    typer.Option("--rows", metavar="FROM:TO", help="Rows by number, from 0, without TO."),
]
