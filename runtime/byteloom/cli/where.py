"""``--where``: which rows are wanted, as an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from byteloom.iceberg.expressions import Expression

__all__ = ["Where", "expression_of"]

Where: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--where",
        "-w",
        metavar="EXPRESSION",
        help="Only these rows: \"ts >= '2024-01-01' and id = 3\".",
    ),
]
"""The text of an expression."""


def expression_of(text: str) -> Expression:
    """Return the expression that *text* is.

    BadParameter  it is not one, whatever the columns
    """
    from byteloom.iceberg.expressions.text import parse

    try:
        return parse(text)
    except FormatError as error:
        raise typer.BadParameter(str(error), param_hint="--where") from error
