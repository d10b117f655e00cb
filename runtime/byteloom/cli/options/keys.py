"""The key of encrypted files, as commands take it."""

from __future__ import annotations

import os
from typing import Any, Final

import typer

__all__ = ["KEY", "from_hex"]

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
