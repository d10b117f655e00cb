"""``python plain.py FORM MODULES FILES OUT [--whole]``: what parsers of either API read, as JSON.

FORM is ``official`` (the API of the ``kaitaistruct`` package) or ``records`` (byteloom's own).  The
file ``NAME.3.bin`` is read by the module ``NAME``: whole, cut short and damaged, or only whole.  An
error is ``!``, whatever it says; one that it must never raise is reported.  An attribute that is
absent counts as null, and an underscore that keeps a name from Python's own is dropped.
"""

from __future__ import annotations

import importlib
import inspect
import json
import signal
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.peers.kaitai.values import variants
from tests.support.scalars import scalar

from byteloom.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 2.0
"""Processor time after which a parser is taken not to end."""
_MOST_DEPTH = 25
_most_elements = 0
"""Elements of a list above which a parser counts as one that never ends: byteloom refuses these."""
_FORM, _MODULES, _FILES, _OUT = sys.argv[1:5]

_ERROR: type[Exception]
if _FORM == "records":
    from byteloom.errors import ByteloomError
    from byteloom.wire import Reader, Record

    _ERROR, _STREAM, _RECORD = ByteloomError, Reader, Record
else:
    from kaitaistruct import KaitaiStream, KaitaiStruct

    _ERROR, _STREAM, _RECORD = Exception, KaitaiStream, KaitaiStruct  # it promises no more


class _TooLongError(BaseException):
    """Time is up; not an Exception, so that no parser catches it."""


def plain(value: Any, seen: dict[int, Any], depth: int = 0) -> Any:
    """Return data that is equal for equal values of either API."""
    if isinstance(value, list):
        if len(value) > _most_elements:
            raise _TooLongError
        return [plain(each, seen, depth + 1) for each in value]
    if isinstance(value, _RECORD):
        if id(value) in seen or depth > _MOST_DEPTH:
            return "again"
        seen[id(value)] = value
        found = {name.rstrip("_"): _member(value, name, seen, depth) for name in _names(value)}
        return {name: each for name, each in sorted(found.items()) if each != "None"}
    return "stream" if isinstance(value, _STREAM) else scalar(value)


def _member(record: Any, name: str, seen: dict[int, Any], depth: int) -> Any:
    try:
        return plain(getattr(record, name), seen, depth + 1)
    except Exception as error:  # noqa: BLE001  (which one it is gets compared)
        return _error_text(error)


def _names(record: Any) -> list[str]:
    """Return what a record shows, in the order of names, so that cycles are met in one order."""
    found = _shown(record.__class__)
    held = [name for name in getattr(record, "__dict__", ()) if not name.startswith("_")]
    return sorted({*found, *held}, key=lambda name: name.rstrip("_"))


@cache
def _shown(cls: type) -> list[str]:
    return [name for name in dir(cls) if _is_shown(cls, name)]


def _is_shown(cls: type, name: str) -> bool:
    static = inspect.getattr_static(cls, name)
    if name.startswith("_") or name.isupper():
        return False
    return isinstance(static, property | bytes | int) or inspect.ismemberdescriptor(static)


def _error_text(error: Exception) -> str:
    return "!" if isinstance(error, _ERROR) else f"! {type(error).__name__}: {error}"


def outcome(read: Any, data: bytes) -> Any:
    """Return what *read* makes of *data*."""
    global _most_elements  # noqa: PLW0603  (of the one file that is read at a time)
    _most_elements = Limits().empty_elements + len(data)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        record = read(data)
        if _FORM == "official" and hasattr(record, "_debug"):  # made first, and read then
            record._read()
        return plain(record, {})
    except _TooLongError:
        return "does not end"
    except Exception as error:  # noqa: BLE001  (which one it is gets compared)
        return _error_text(error)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def outcomes(file: Path) -> Iterator[Any]:
    """Yield the outcome of every variant of *file*."""
    name = file.name.partition(".")[0]
    top = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    try:
        module = importlib.import_module(name)
    except SyntaxError:  # names and docs of the spec that the official compiler does not quote
        yield "no module"
        return
    read = getattr(module, top, None) or getattr(module, f"{top}_")
    whole = file.read_bytes()
    for data in [whole] if "--whole" in sys.argv else variants(file.name, whole):
        yield outcome(read.from_bytes, data)


def _stop(*_: object) -> None:
    raise _TooLongError


if __name__ == "__main__":
    sys.path.insert(0, _MODULES)
    sys.setrecursionlimit(3000)
    signal.signal(signal.SIGVTALRM, _stop)
    found = {file.name: list(outcomes(file)) for file in sorted(Path(_FILES).glob("*.bin"))}
    Path(_OUT).write_text(json.dumps(found))
