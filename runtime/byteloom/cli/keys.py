"""The key of encrypted files, as commands take it."""

from __future__ import annotations

from typing import Any, Final

import typer

__all__ = ["KEY", "from_hex"]

KEY: Final[Any] = typer.Option(
    "--key", metavar="HEX", envvar="BYTELOOM_KEY", help="Master key of encrypted files, in hex."
)


def from_hex(text: str | None) -> bytes | None:
    """Return the key that *text* is in hex; wrong usage where it is none."""
    if text is None:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is no hex", param_hint="--key") from error
