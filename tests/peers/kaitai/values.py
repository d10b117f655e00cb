"""``python values.py MODULES SUITE OUT``: what parsers make of the data of a suite, as JSON.

Each case of ``spec/ks`` is read as it is, cut short in several places, and damaged at random places
(the same ones for every parser).  A value is its ``repr``; a record, its attributes and instances;
an error, its type and text.  A process that reads official modules imports nothing of ours.
"""

from __future__ import annotations

import importlib
import inspect
import json
import random
import signal
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from kaitaistruct import KaitaiStream, KaitaiStruct

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 2.0
"""Processor time after which a parser is taken not to end."""
_MOST_DEPTH = 25
_LARGE = 50_000
"""Bytes from which a file, which takes half a second to read, is damaged in fewer ways."""


class _TooLongError(BaseException):
    """Time is up; not an Exception, so that no parser catches it."""


def variants(name: str, data: bytes) -> Iterator[bytes]:
    """Yield *data*, beginnings of it, and damaged copies."""
    yield data
    for size in sorted({0, 1, 2, 3, 5, 8, 13, len(data) // 2, len(data) - 1}):
        if 0 <= size < len(data):
            yield data[:size]
    dice = random.Random(name)
    for _ in range(0 if not data else 12 if len(data) < _LARGE else 3):
        damaged = bytearray(data)
        for _ in range(dice.choice([1, 1, 2, 8])):
            damaged[dice.randrange(len(data))] = dice.choice([0, 1, 2, 255, dice.randrange(256)])
        yield bytes(damaged)


def values(value: Any, seen: set[int], depth: int = 0) -> Any:
    """Return plain data that is equal for equal values."""
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, list):
        return [values(each, seen, depth + 1) for each in value]
    if isinstance(value, KaitaiStream):
        return "stream"
    if not isinstance(value, KaitaiStruct):
        return repr(value)
    if id(value) in seen or depth > _MOST_DEPTH:
        return f"again {type(value).__qualname__}"
    seen.add(id(value))
    found = {"": type(value).__qualname__}
    for name in sorted(_names(value)):
        try:
            found[name] = values(getattr(value, name), seen, depth + 1)
        except Exception as error:  # noqa: BLE001  (whatever it is, both have to raise it)
            found[name] = error_text(error)
    return found


def _names(record: KaitaiStruct) -> Iterator[str]:
    for name in vars(record):
        if name.startswith(("_raw", "_unnamed")) or not name.startswith("_"):
            yield name
    for name, _ in inspect.getmembers_static(type(record), lambda each: isinstance(each, property)):
        yield name


def error_text(error: BaseException) -> str:
    """Return the type and the text of *error*."""
    return f"{type(error).__name__}: {error}"


def outcome(name: str, data: bytes) -> Any:
    """Return what the parser *name* makes of *data*."""
    top = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        record = getattr(importlib.import_module(name), top).from_bytes(data)
        failed = ""
        if hasattr(record, "_debug"):
            try:
                record._read()
            except Exception as error:  # noqa: BLE001  (what was read before stays to be compared)
                failed = error_text(error)
        return [values(record, set()), failed]
    except _TooLongError:
        return "does not end"
    except Exception as error:  # noqa: BLE001  (whatever it is, both have to raise it)
        return error_text(error)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def main(modules: str, suite: Path, out: Path) -> None:
    """Write the outcome of every case and variant."""
    sys.path[:0] = [modules, str(suite / "spec/python/extra")]
    signal.signal(signal.SIGVTALRM, _stop)
    found: dict[str, list[Any]] = {}
    for path in sorted((suite / "spec/ks").glob("*.kst")):
        case = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506  (makes only texts, lists, maps)
        data = (suite / "src" / case["data"]).read_bytes()
        found[path.stem] = [outcome(path.stem, each) for each in variants(path.stem, data)]
    out.write_text(json.dumps(found))


def _stop(*_: object) -> None:
    raise _TooLongError


if __name__ == "__main__":
    sys.setrecursionlimit(600)
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
