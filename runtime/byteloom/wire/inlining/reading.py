"""When `read` methods are inlined, and reading with them.

The rules are those of `byteloom.wire.inlining`.
"""

from __future__ import annotations

import gc
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.reader import Reader

if TYPE_CHECKING:
    from mmap import mmap

    from byteloom.limits import Limits
    from byteloom.wire.inlining.printed import Printed

__all__ = ["WORTH", "read_inlined"]

WORTH: Final = 1 << 16
"""Bytes of a format: reading so many takes longer than printing its methods."""

_MUCH: Final = 16_000
"""Bytes from which on the cyclic collector pauses: what is being read is no garbage."""

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
    """Return a record of *cls*, and the reader after it; None if that is left to `cls.read`."""
    try:
        printed = _printed[cls]
    except KeyError:
        size = _read[cls] = _read.get(cls, 0) + len(data)
        if size < WORTH:
            return None
        printed = _print(cls)
    if printed is None or limits.objects < len(data):
        return None
    r = Reader(data, limits=limits, origin=origin)
    paused = len(data) >= _MUCH and gc.isenabled()
    if paused:
        gc.disable()
    try:
        return printed.read(r, cls.NAME, params), r
    except Exception:  # noqa: BLE001  (whatever it is, `cls.read` says it better)
        return None
    finally:
        if paused:
            gc.enable()


def _print(cls: type) -> Printed | None:
    from byteloom.wire.inlining.printed import printed  # of no use to those who read little

    with _LOCK:
        if cls not in _printed:
            _printed[cls] = printed(cls)
        return _printed[cls]
