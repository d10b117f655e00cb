"""What values of options mean: numbers, ports, pairs, rows, keys of files, expressions."""

from __future__ import annotations

import os
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from byteloom.iceberg.expressions import Expression

__all__ = [
    "KEY",
    "Rows",
    "Where",
    "expression_of",
    "from_hex",
    "number",
    "one_of",
    "pairs",
    "port",
    "range_of",
    "row_number",
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


_VARIABLE: Final = "BYTELOOM_KEY"

KEY: Final[Any] = typer.Option(
    "--key", metavar="HEX", envvar=_VARIABLE, help="Master key of encrypted files, in hex."
)


def from_hex(text: str | None) -> bytes | None:
    """Return the key that *text* is in hex; wrong usage, which does not show it, otherwise."""
    if text is None:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        source = _VARIABLE if os.environ.get(_VARIABLE) == text else "--key"
        wanted = "hexadecimal digits, two for each byte"
        raise typer.BadParameter(
            f"the key is not shown, wanted {wanted}", param_hint=source
        ) from None


Where: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        "-w",
        metavar="EXPRESSION",
        help="Only these rows: \"ts >= '2024-01-01' and id = 3\"; of several, rows that meet all.",
    ),
]
"""The texts of expressions, of which a row must meet each."""


def expression_of(texts: list[str] | None) -> Expression:
    """Return the expression that a row meets if it meets each of *texts*; without any, all rows do.

    BadParameter  a text that is not an expression, whatever the columns
    """
    from byteloom.iceberg.expressions.ast import TRUE, And
    from byteloom.iceberg.expressions.text import parse

    if not texts:
        return TRUE
    try:
        return reduce(And, map(parse, texts))
    except FormatError as error:
        raise typer.BadParameter(str(error), param_hint="--where") from error
