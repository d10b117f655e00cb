"""The exception by which printed methods leave something to the methods as they were generated."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["GiveUp", "nothing"]


class GiveUp(Exception):
    """The generated methods are to do this."""


def nothing() -> NoReturn:
    """Give up where a value is missing, inside an expression."""
    raise GiveUp
