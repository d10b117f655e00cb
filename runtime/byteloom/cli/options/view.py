"""The options that choose how a file is shown: as a tree, a dump or a page for a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from byteloom.cli.options.groups import option_group
from byteloom.cli.options.outputs import Force
from byteloom.cli.options.parsers import number

__all__ = ["Full", "View", "viewed"]

Full = Annotated[bool, typer.Option("--full", help="Show all fields and bytes.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How a file is shown; as a tree, if neither *hex_* nor *html*."""

    hex_: Annotated[
        bool, typer.Option("--hex", help="Print every byte with the name of its field.")
    ] = False
    html: Annotated[
        bool,
        typer.Option("--html", help="Print a page for a browser: fields and bytes side by side."),
    ] = False
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="With --html, write the page to FILE; - is stdout.",
        ),
    ] = None
    force: Force = False
    depth: Annotated[
        int,
        typer.Option(
            "--depth", parser=number, metavar="LEVELS", help="Levels of structure to show."
        ),
    ] = 100
    full: Full = False


viewed = option_group("view", View)
"""Gives a command these options, and passes it a `View` as *view*."""
