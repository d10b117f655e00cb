"""When `write` methods are inlined, and writing with them.

The rules are those of `byteloom.wire.inlining`.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.inlining.reading import WORTH, is_inlined

if TYPE_CHECKING:
    from byteloom.wire.inlining.printed_writes import PrintedWrite

__all__ = ["may_be_inlined", "note_written", "write_inlined"]

_LOCK: Final = Lock()
_written: dict[type, int] = {}
_printed: dict[type, PrintedWrite | None] = {}


def write_inlined(record: Any) -> bytes | None:
    """Return *record* as bytes; None if its generated `write` has to write it."""
    printed = _worth(type(record))
    if printed is None:
        return None
    try:
        return printed.written(record)
    except Exception:  # noqa: BLE001  (whatever it is, `write` says it better)
        return None


def may_be_inlined(cls: type) -> bool:
    """Whether records of *cls* may be written by printed methods."""
    return _worth(cls) is not None


def note_written(cls: type, size: int) -> None:
    """Count *size* bytes of a record of *cls* that the generated `write` has written."""
    if cls not in _printed:
        _written[cls] = _written.get(cls, 0) + size


def _worth(cls: type) -> PrintedWrite | None:
    """Return the printed `write` of *cls*, if enough was written or read of it; otherwise None."""
    try:
        return _printed[cls]
    except KeyError:
        enough = _written.get(cls, 0) >= WORTH or is_inlined(cls)
        return _print(cls) if enough else None


def _print(cls: type) -> PrintedWrite | None:
    # Imported late: not needed for writing little.
    from byteloom.wire.inlining.printed_writes import printed_write

    with _LOCK:
        if cls not in _printed:
            _printed[cls] = printed_write(cls)
        return _printed[cls]
