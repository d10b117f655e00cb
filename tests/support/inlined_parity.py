"""Every record that a test reads or writes goes through inlined methods and generated ones.

Both have to give the same.

For a whole run with ``BYTELOOM_INLINED=both``, and for tests of inlined methods alone.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

from byteloom.wire import passes, record
from byteloom.wire.inlining import reading, writing
from byteloom.wire.passes import bytes_of
from byteloom.wire.reader import Reader
from byteloom.wire.value_types import refuse_strangers

__all__ = ["at_once", "difference", "generated_bytes", "read_both_ways", "write_both_ways"]

_MISSING = object()
_read_inlined = reading.read_inlined
_write_inlined = writing.write_inlined


def pytest_configure() -> None:
    """Read and write all records both ways."""
    patch = pytest.MonkeyPatch()
    at_once(patch)
    patch.setattr(record, "read_inlined", read_both_ways)
    patch.setattr(passes, "write_inlined", write_both_ways)


def at_once(patch: pytest.MonkeyPatch) -> None:
    """Let methods be inlined however little is read and written."""
    patch.setattr(reading, "WORTH", 0)
    patch.setattr(writing, "WORTH", 0)


def read_both_ways(cls: Any, data: Any, limits: Any, origin: int, params: Any) -> Any:
    """Read as `read_inlined` does; what it gives has to be what `cls.read` gives."""
    found = _read_inlined(cls, data, limits, origin, params)
    if found is not None:
        r = Reader(data, limits=limits, origin=origin)
        wanted = r.whole(cls.NAME, cls.read, **params)
        where = difference((wanted, r), found)
        assert not where, f"{cls.__qualname__} is read otherwise when inlined: {where}"
    return found


def write_both_ways(value: Any) -> bytes | None:
    """Write as `write_inlined` does; what it gives has to be what `value.write` gives."""
    found = _write_inlined(value)
    if found is not None:
        wanted = generated_bytes(value)
        kind = type(value).__qualname__
        assert found == wanted, f"{kind} is written otherwise when inlined: {found!r}, {wanted!r}"
    return found


def generated_bytes(value: Any) -> bytes:
    """The bytes that the generated methods give, and nothing that is not of its field's type."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "write_inlined", lambda _: None)
        data = bytes_of("it", value)
        refuse_strangers(value)
        return data


def difference(wanted: object, found: object) -> str:
    """Where two values differ in what records and readers hold, hidden attributes too."""
    seen: set[tuple[int, int]] = set()
    waiting = [("", wanted, found)]
    while waiting:
        path, one, other = waiting.pop()
        if (id(one), id(other)) in seen or one is other:
            continue
        seen.add((id(one), id(other)))
        if type(one) is not type(other):
            return f"{path}: {one!r:.99} and {other!r:.99}"
        if isinstance(one, float) and isinstance(other, float):
            one, other = struct.pack("d", one), struct.pack("d", other)
        names = [name for cls in type(one).__mro__ for name in getattr(cls, "__slots__", ())]
        names += [*getattr(one, "__dict__", ())]
        waiting += [
            (f"{path}.{name}", getattr(one, name, _MISSING), getattr(other, name, _MISSING))
            for name in names
            if name not in {"__dict__", "__weakref__"}
        ]
        if isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                return f"{path}: {len(one)} and {len(other)} elements"
            pairs = zip(one, other, strict=True)
            waiting += [(f"{path}[{at}]", *pair) for at, pair in enumerate(pairs)]
        elif isinstance(one, dict) and isinstance(other, dict):
            if len(one) != len(other):
                return f"{path}: {len(one)} and {len(other)} things read"
        elif (not names or isinstance(one, int | float | str | bytes)) and one != other:
            return f"{path}: {one!r:.99} and {other!r:.99}"
    return ""
