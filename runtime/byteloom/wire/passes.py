"""Write a record in passes until its layout settles: sizes, then positions, then bytes.

Most records are written in one pass.  Some values are known only after a first pass: a position
that counts from the end of its stream, one that an earlier field stores, a part placed in a stream
that was complete already.  A second pass uses them.  The layout is settled when a pass finds the
same as the pass before.
"""

from __future__ import annotations

from contextlib import suppress
from threading import local
from typing import Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.wire.open_stream import Pass
from byteloom.wire.temporary_changes import measuring, note_replaced
from byteloom.wire.writer import Writable, size_in, whole

__all__ = ["bytes_of", "inner_of", "length_of", "pass_to", "size_of"]

_MOST: Final = 12
"""The most passes.  Each settles one more stream that depends on another; files nest only a few."""


class _Writing(local):
    """What this thread is writing: the pass over it; None outside one."""

    current: Pass | None = None


_WRITING: Final = _Writing()


def bytes_of(name: str, value: Writable, *, measures: bool = False) -> bytes:
    """Return the bytes of *value*, called *name*; on an error nothing is written.

    measures  only their number is asked for
    """
    data, problem = _settled(Pass(measures=measures), name, value)
    if problem is not None:
        with suppress(FormatError):  # a part that cannot be read cannot be moved either
            _written(Pass(touches=True), name, value)
            data, problem = _settled(Pass(measures=measures), name, value)
    if problem is not None:
        raise problem
    return data


def _settled(this: Pass, name: str, value: Writable) -> tuple[bytes, FormatError | None]:
    """Write until the layout settles; return the bytes, or the error."""
    for _ in range(_MOST):
        try:
            data = _written(this, name, value)
        except FormatError as error:
            if this.strict:
                return b"", error
            raise
        settled = this.settled()
        if settled and this.problem is None:
            return data, None
        this = Pass(this.found, this.places, strict=settled, measures=this.measures)
    raise FormatError(
        name, None, "sizes and positions that change each other", "a layout that settles"
    )


def _written(this: Pass, name: str, value: Writable) -> bytes:
    outer, _WRITING.current = _WRITING.current, this
    try:
        return whole(this, name, value)
    except RecursionError as error:
        raise LimitExceeded(name, None, "records inside records", "fewer levels") from error
    finally:
        _WRITING.current = outer
        this.put_back()


def inner_of(name: str, value: Writable) -> bytes:
    """Return *value* as the bytes of its own stream, which is written once in a pass."""
    if _WRITING.current is not None:
        return whole(_WRITING.current, name, value)
    with measuring():
        return bytes_of(name, value)


def size_of(name: str, value: Writable) -> int:
    """Return the size of *value* in a stream of its own."""
    if _WRITING.current is not None:
        return size_in(_WRITING.current, name, value)
    with measuring():
        return len(bytes_of(name, value, measures=True))


def length_of(name: str, value: Writable | bytes) -> int:
    """Return the size of *value*, a record or bytes."""
    return len(value) if isinstance(value, bytes) else size_of(name, value)


def pass_to(child: Any, /, **fields: object) -> None:
    """Set fields of *child* that derive from the enclosing record, before both are written."""
    for name, value in fields.items():
        before = getattr(child, name)
        if before is not value and before != value:
            if _WRITING.current is not None:
                _WRITING.current.note_change()
            note_replaced(child, name, before)
        setattr(child, name, value)
