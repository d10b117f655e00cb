"""Errors of byteloom that were raised in Spark's planners and executors, as the driver sees them.

An exception crosses from Python to Java as text, a traceback whose last line has its class and
message; Spark puts that into an exception of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Final

from byteloom import errors

__all__ = ["error_of", "plain_errors"]

_RAISED: Final = re.compile(r"^\s*(byteloom(?:\.\w+)+)\.(\w+): (.+?)\s*$", re.MULTILINE)


def error_of(error: BaseException) -> errors.ByteloomError | None:
    """Return the byteloom error inside an exception of Spark's; None if it has none.

    It has the class of the raised error, or the class of `byteloom.errors` from which that is
    derived, and the same message, with file and place; the parts of a `FormatError` are only in
    its text.

    Args:
        error: What Spark raised.

    Example:
        >>> from byteloom.spark import error_of
        >>> raised = RuntimeError("byteloom.errors.StorageError: /data: permission denied")
        >>> error_of(raised)
        StorageError('/data: permission denied')
        >>> error_of(ValueError("of another library")) is None
        True
    """
    for module, name, sentence in reversed(_RAISED.findall(str(error))):
        kind = _class(module, name)
        if kind is not None and issubclass(kind, errors.FormatError):
            return _as_text(kind, sentence)
        if kind is not None:
            return kind(sentence)
    return None


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise, in place of an exception of Spark's, the byteloom error inside it."""
    try:
        yield
    except Exception as error:
        found = error_of(error)
        if found is None or isinstance(error, errors.ByteloomError):
            raise
        raise found from error


def _class(module: str, name: str) -> type[errors.ByteloomError] | None:
    """Return the class of `byteloom.errors` that a name in a traceback is, or is derived from."""
    try:
        kind = getattr(import_module(module), name, None)
    except ImportError:  # text that only looks like the last line of a traceback
        return None
    if not (isinstance(kind, type) and issubclass(kind, errors.ByteloomError)):
        return None
    return next(each for each in kind.__mro__ if each.__module__ == errors.__name__)


def _as_text(kind: type[errors.FormatError], sentence: str) -> errors.FormatError:
    """Return an error of that class whose text is *sentence*."""
    made = kind()
    made.file, separator, rest = sentence.partition(": found ")
    made.found, _, made.wanted = rest.rpartition(", wanted ") if separator else ("", "", "")
    return made
