"""The exception by which printed methods leave the work to the generated methods."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["GiveUp", "nothing"]


class GiveUp(Exception):
    """Raised by printed methods: the generated methods have to do the work."""


def nothing() -> NoReturn:
    """Give up where a value is missing, inside an expression."""
    raise GiveUp
