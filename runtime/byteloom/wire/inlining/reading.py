"""When `read` methods are inlined, and reading with them.

The rules are those of `byteloom.wire.inlining`.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.collecting import collector_paused
from byteloom.wire.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from mmap import mmap

    from byteloom.limits import Limits
    from byteloom.wire.inlining.printed import Printed

__all__ = ["WORTH", "is_inlined", "read_elements", "read_inlined"]

WORTH: Final = 1 << 16
"""Bytes of a format that have to be read, at least, before its methods are printed: reading fewer
takes less time than printing.
"""

_MUCH: Final = 16_000
"""Bytes from which on the cyclic garbage collector is paused: records being read are no garbage."""

_LOCK: Final = Lock()
_read: dict[type, int] = {}
_printed: dict[type, Printed | None] = {}


def read_inlined(
    cls: Any,
    data: bytes | bytearray | memoryview | mmap,
    limits: Limits,
    origin: int,
    params: dict[str, Any],
) -> tuple[Any, Reader] | None:
    """Return a record of *cls* and the reader after it; None if `cls.read` has to read it."""
    printed = _worth(cls, len(data))
    if printed is None or limits.objects < len(data):
        return None
    r = Reader(data, limits=limits, origin=origin)
    try:
        with collector_paused() if len(data) >= _MUCH else nullcontext():
            return printed.read(r, cls.NAME, params), r
    except Exception:  # noqa: BLE001  (whatever it is, `cls.read` says it better)
        return None


def read_elements(
    read: Callable[..., Any], size: int, r: Reader, most: int, into: list[Any]
) -> None:
    """Add records to *into* until it has *most*, or *read* has to read one.

    *r* is then at the start of that record.

    read  a generated `read`, or a `partial` of it with the arguments for each record
    size  bytes left to read
    """
    handed = read if isinstance(read, partial) else partial(read)
    cls = getattr(handed.func, "__self__", None)
    printed = _worth(cls, size) if isinstance(cls, type) else None
    if printed is not None:
        printed.elements(handed, r, most, into)


def is_inlined(cls: type) -> bool:
    """Whether records of *cls* are read by printed methods."""
    return _printed.get(cls) is not None


def _worth(cls: type, size: int) -> Printed | None:
    """Return the printed `read` of *cls*, if enough is read of it with *size* bytes to come."""
    try:
        return _printed[cls]
    except KeyError:
        total = _read[cls] = _read.get(cls, 0) + size
        return None if total < WORTH else _print(cls)


def _print(cls: type) -> Printed | None:
    # Imported late: not needed for reading little.
    from byteloom.wire.inlining.printed import printed

    with _LOCK:
        if cls not in _printed:
            _printed[cls] = printed(cls)
        return _printed[cls]
