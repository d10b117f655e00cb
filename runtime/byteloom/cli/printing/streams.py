"""Standard output, whatever characters the terminal or the locale has.

- Text for people is in the encoding of the terminal.  A character that this lacks is an escape, as
  in Python's own text; guides of trees and the signs of what is cut have forms in ASCII.
- Data for programs (JSON, YAML, CSV, HTML) is UTF-8, as those who read it expect.
"""

from __future__ import annotations

import codecs
import os
import sys
from typing import Any, Final

__all__ = ["allow_any_text", "is_plain", "print_utf8"]

_SIGNS: Final = {"│": "|", "├": "|", "└": "`", "─": "-", "…": "~", "→": ">"}
"""The signs of our own reports, each with one ASCII character, so that columns stay aligned."""

_ERRORS: Final = "byteloom.signs"
"""The name of `_substitute` among the handlers of errors of encoding."""


def is_plain() -> bool:
    """Whether escape sequences are unwanted, even on a terminal."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def allow_any_text() -> None:
    """Let stdout print text with any characters."""
    codecs.register_error(_ERRORS, _substitute)
    _reconfigure(errors=_ERRORS)


def print_utf8() -> None:
    """Print everything in UTF-8 from here on."""
    _reconfigure(encoding="utf-8", errors=_ERRORS)


def _reconfigure(**settings: str) -> None:
    # A stream that a program put in the place of stdout need not have the method.
    change: Any = getattr(sys.stdout, "reconfigure", None)
    if change is not None:
        change(**settings)


def _substitute(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return what is printed for characters that the encoding lacks, and where they end."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    texts = (
        _SIGNS.get(each) or each.encode("ascii", "backslashreplace").decode("ascii")
        for each in part
    )
    return "".join(texts), error.end
