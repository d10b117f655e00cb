"""The marks by which a file says that the generator wrote it, and from which spec.

Every generated file has one of these marks in its first bytes; a file without was written by hand.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

__all__ = ["GENERATOR", "is_generated", "made_from"]

GENERATOR: Final = "byteloom-codegen"
"""The program's name, where a format has a place for such."""

_WRITTEN: Final = re.compile(rb"Written by byteloom(?:-codegen)?(?: from (.+))?; do not edit")
_NAMED: Final = re.compile(rb'"generator"(?: content=|: )"byteloom-codegen"')
"""In the head of a page of HTML, and in JSON."""

_HEAD: Final = 1024
"""Bytes in which a file says what it was made from."""


def is_generated(path: Path) -> bool:
    """Whether the file at *path* says that the generator wrote it."""
    head = _head(path)
    return bool(_WRITTEN.search(head) or _NAMED.search(head))


def made_from(path: Path) -> str | None:
    """Return the name of the spec that a file says it was made from."""
    found = _WRITTEN.search(_head(path))
    return Path(found[1].decode("utf-8", "replace")).name if found and found[1] else None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)
