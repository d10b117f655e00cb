"""``--where``: which rows are wanted, as an expression."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from byteloom.iceberg.expressions import Expression

__all__ = ["Where", "expression_of"]

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
