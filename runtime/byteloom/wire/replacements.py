"""Values of records that writing replaces, which are put back if nothing is written after all.

Writing sets the parameters of every record inside another.  If an error ends it, or if something is
only measured, the records get back what they had.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Replaced", "measuring", "note_replaced", "noting"]

Replaced = dict[tuple[int, str], tuple[Any, str, Any]]
"""By the id of a record and the name of an attribute: both, and the value that was replaced."""


class _Notes(local):
    """What this thread has replaced; None where nobody asks."""

    replaced: Replaced | None = None


_NOTES: Final = _Notes()


def note_replaced(record: Any, name: str, before: object) -> None:
    """Note that *name* of *record* was *before*, unless an earlier value is known."""
    if _NOTES.replaced is not None:
        _NOTES.replaced.setdefault((id(record), name), (record, name, before))


@contextmanager
def noting() -> Iterator[Replaced]:
    """Note what is replaced during the block; put it back if the block raises an exception."""
    outer, replaced = _NOTES.replaced, Replaced()
    _NOTES.replaced = replaced
    try:
        yield replaced
    except BaseException:
        _put_back(replaced)
        raise
    finally:
        _NOTES.replaced = outer


@contextmanager
def measuring() -> Iterator[Replaced]:
    """Note what is replaced during the block; put it back at the end."""
    with noting() as replaced:
        yield replaced
        _put_back(replaced)


def _put_back(replaced: Replaced) -> None:
    for record, name, value in replaced.values():
        setattr(record, name, value)
