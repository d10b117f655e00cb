"""Options of the commands that show what is in a file."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Depth", "Full", "Hex", "Json"]

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document.")]
Hex = Annotated[
    bool, typer.Option("--hex", metavar="", help="Print every byte with the name of its field.")
]
Depth = Annotated[
    int, typer.Option("--depth", metavar="LEVELS", min=0, help="Levels of structure to show.")
]
Full = Annotated[
    bool, typer.Option("--full", metavar="", help="Abridge nothing, neither fields nor bytes.")
]
