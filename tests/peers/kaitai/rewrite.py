"""``python rewrite.py MODULES FILES OUT [--unchanged]``: what read-write classes do, as JSON.

A program as the official guide wants it, for classes of either compiler: each file is read, all
instances are fetched, every record is checked, and the whole is written.  Then one attribute after
the other is changed, with what follows from it left as it is: the change is refused by ``_check``,
or by ``_write``, or written.  A file is called after its spec: ``gif.0.bin``.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
from enum import Enum, IntEnum
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaitaistruct import ConsistencyError, KaitaiStream, KaitaiStruct, ValidationFailedError

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 2.0
"""Processor time after which a parser is taken not to end."""
_MOST = 6
"""Records of a file that are changed, the first ones."""
_LARGE = 400
"""Bytes from which a file, which takes long to write, is not changed."""


class _TooLongError(BaseException):
    """Time is up; not an Exception, so that no program catches it."""


def records_of(root: Any) -> list[Any]:
    """Return *root* and all records in its fields, instances and parameters, each once."""
    found: list[Any] = []
    seen, waiting = set[int](), [root]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, KaitaiStruct) and id(value) not in seen:
            seen.add(id(value))
            found.append(value)
            waiting += [vars(value)[name] for name in attributes(value)]
    return found


def attributes(record: Any) -> list[str]:
    """Return the attributes that hold what was read: fields, parameters, instances."""
    names = [
        name
        for name in vars(record)
        if name.startswith(("_m_", "_unnamed")) or not name.startswith("_")
    ]
    return sorted(name for name in names if "__" not in name)


@cache
def calculated_by(cls: type) -> dict[str, str]:
    """Return the attributes that are calculated, by the method that forgets each."""
    return {name: f"_m_{name[12:]}" for name in dir(cls) if name.startswith("_invalidate_")}


def properties(record: Any) -> list[str]:
    """Return the attributes that a program may set."""
    calculated = calculated_by(record.__class__).values()
    return [name.removeprefix("_m_") for name in attributes(record) if name not in calculated]


def check(record: Any) -> None:
    """Check a record, as programs do: what is calculated is forgotten first."""
    for name, attribute in calculated_by(record.__class__).items():
        if attribute in vars(record):
            getattr(record, name)()
    record._check()


def read(name: str, data: bytes) -> Any:
    """Return the record that *data* holds, with all instances, checked."""
    top = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    record = getattr(importlib.import_module(name), top)(KaitaiStream(BytesIO(data)))
    record._read()
    record._fetch_instances()
    for each in records_of(record):
        check(each)
    return record


def written(record: Any, data: bytes) -> bytes:
    """Return what is written over *data* with all its bits turned."""
    stream = KaitaiStream(BytesIO(bytes(byte ^ 0xFF for byte in data)))
    record._write(stream)
    found: bytes = stream.to_byte_array()
    return found


def plain(value: Any, seen: set[int] | None = None) -> Any:
    """Return plain data that is equal for equal values."""
    seen = set() if seen is None else seen
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, list):
        return [plain(each, seen) for each in value]
    if isinstance(value, KaitaiStream):
        return "stream"
    if not isinstance(value, KaitaiStruct):
        return repr(value)
    if id(value) in seen:
        return "again"
    seen.add(id(value))
    return {name: plain(getattr(value, name), seen) for name in properties(value)}


def changed_to(value: Any) -> Iterator[Any]:
    """Yield values that are near *value*."""
    match value:
        case bool():
            yield not value
        case IntEnum() | int():
            yield from (int(value) + 1, int(value) - 1, 0, 200)
        case float():
            yield value + 1
        case bytes():
            yield from (value + b"x", value[:-1], b"\0" + value, value + b"\0", b"")
            yield from (value[:-1] + b" ", value[::-1])
        case str():
            yield from (value + "x", value[:-1], "\0" + value, "", value[:-1] + " ", value[::-1])
        case list():
            yield from (value[:-1], value + value[-1:], value[::-1], [])


def error_summary(error: BaseException) -> str:
    """Return what programs look at: the class, and the attribute or the place in the spec."""
    where = ""
    if isinstance(error, ConsistencyError):
        where = error.id
    elif isinstance(error, ValidationFailedError):
        where = str(error.src_path)
    return f"{type(error).__name__} {where}".strip()


def changes(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the result of each change, with its place."""
    for number, record in enumerate(records_of(read(name, data))[:_MOST]):
        for attribute in properties(record):
            for which, other in enumerate(changed_to(getattr(record, attribute))):
                if other != getattr(record, attribute):
                    place = f"{number}.{attribute}.{which}"
                    yield place, _tried(name, data, number, attribute, which)
        if isinstance(record._parent, KaitaiStruct):
            yield f"{number}._root", _tried(name, data, number, "_root")
            yield f"{number}._parent", _tried(name, data, number, "_parent")


def _tried(name: str, data: bytes, number: int, attribute: str, which: int | None = None) -> str:
    """Change an attribute of a record that *data* holds, check it and then all, and write."""
    root = read(name, data)
    records = records_of(root)
    changed = records[number]
    value = getattr(changed, attribute)
    other = None if which is None else list(changed_to(value))[which]
    setattr(changed, attribute, other)
    for order, each in enumerate([changed, *records]):
        refused = _outcome(lambda each=each: check(each))
        if refused != "done":
            return f"checked{' later' if order else ''}: {refused}"
    return _outcome(lambda: _rewritten(root, data))


def _rewritten(root: Any, data: bytes) -> str:
    """Return what is written, and whether it reads as what it was written from."""
    out = written(root, data)
    name = type(root).__module__
    same = _outcome(lambda: str(plain(read(name, out)) == plain(root)))
    return f"{out.hex()} {'reads the same' if same == 'True' else 'reads otherwise'}"


def _outcome(work: Any) -> str:
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        return work() or "done"
    except _TooLongError:
        return "does not end"
    except Exception as error:  # noqa: BLE001  (whatever it is, both have to raise it)
        return error_summary(error)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def outcomes(name: str, data: bytes, *, change: bool) -> dict[str, Any]:
    """Return the written bytes, whether they read as the same, and the result of each change."""
    found: dict[str, Any] = {}

    def unchanged() -> str:
        record = read(name, data)
        out = written(record, data)
        found["same"] = plain(read(name, out)) == plain(record)
        return out.hex()

    found["written"] = _outcome(unchanged)
    change &= "same" in found and len(data) < _LARGE
    found["changes"] = dict(changes(name, data)) if change else {}
    return found


def main(modules: str, files: Path, out: Path, *, change: bool) -> None:
    """Write the outcome of every file."""
    sys.path.insert(0, modules)
    signal.signal(signal.SIGVTALRM, _stop)
    found = {
        path.name: outcomes(path.name.partition(".")[0], path.read_bytes(), change=change)
        for path in sorted(files.iterdir())
    }
    out.write_text(json.dumps(found))


def _stop(*_: object) -> None:
    raise _TooLongError


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), change="--unchanged" not in sys.argv)
