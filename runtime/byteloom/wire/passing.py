"""Give records what the records around them pass, and note what that replaces.

Writing sets the parameters of every record inside another.  If nothing is written after all, or if
something is only measured, they get back what they had.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.wire.passes import Pass

__all__ = ["WRITING", "Replaced", "measuring", "noting", "pass_to"]

Replaced = dict[tuple[int, str], tuple[Any, str, Any]]
"""By the id of a record and the name of an attribute: both, and the value that was replaced."""


class _Writing(local):
    """What this thread is writing.

    current   the pass over it; None outside one
    replaced  what writing has replaced; None where nobody asks
    """

    current: Pass | None = None
    replaced: Replaced | None = None


WRITING: Final = _Writing()


def pass_to(child: Any, /, **fields: object) -> None:
    """Set fields of *child* that derive from the enclosing record, before both are written."""
    for name, value in fields.items():
        before = getattr(child, name)
        if before is not value and before != value:
            if WRITING.current is not None:
                WRITING.current.note_change()
            if WRITING.replaced is not None:
                WRITING.replaced.setdefault((id(child), name), (child, name, before))
        setattr(child, name, value)


@contextmanager
def noting() -> Iterator[Replaced]:
    """Note what is replaced during the block; put it back if the block raises an exception."""
    outer, replaced = WRITING.replaced, Replaced()
    WRITING.replaced = replaced
    try:
        yield replaced
    except BaseException:
        _put_back(replaced)
        raise
    finally:
        WRITING.replaced = outer


@contextmanager
def measuring() -> Iterator[Replaced]:
    """Note what is replaced during the block; put it back at the end."""
    with noting() as replaced:
        yield replaced
        _put_back(replaced)


def _put_back(replaced: Replaced) -> None:
    for record, name, value in replaced.values():
        setattr(record, name, value)
