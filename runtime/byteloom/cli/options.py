"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Depth", "Full", "Hex", "Html", "Json", "JsonLines", "number"]


def number(text: str | int) -> int:
    """Return the number that *text* is, 0 or more: a parser that help shows no range of."""
    if not str(text).isdecimal():
        raise typer.BadParameter(f"found {text!r}, wanted a number, 0 or more")
    return int(text)


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document: --format json.")]
JsonLines = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
Hex = Annotated[bool, typer.Option("--hex", help="Print every byte with the name of its field.")]
Html = Annotated[
    bool, typer.Option("--html", help="Print a page for a browser: fields and bytes side by side.")
]
Depth = Annotated[
    int,
    typer.Option("--depth", parser=number, metavar="LEVELS", help="Levels of structure to show."),
]
Full = Annotated[bool, typer.Option("--full", help="Show all fields and bytes.")]
