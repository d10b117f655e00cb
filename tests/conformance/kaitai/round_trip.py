"""One ``.kst`` file's data read by the record form, forced whole, written and compared.

The records are those that ``byteloom generate`` prints by default.  A case passes where

- the bytes written are the bytes read, all of them, whether the spec covers the file or not;
- reading them again gives a record of the same structure: every field, parameter and instance.

Where the data is meant to fail (an ``exception`` in the ``.kst``, of the record or of one of its
instances) there is nothing to write: such a case passes where reading and forcing fail as bad
input does, or, where only an instance fails, where what could be read is written back.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.conformance.kaitai.compare import Differs
from tests.conformance.kaitai.modules import PLAIN
from tests.conformance.kaitai.records import Records

from byteloom.errors import ByteloomError
from byteloom.wire import Reader, Record
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.yaml_tree import parse
from byteloom_codegen.python.names import attribute_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from byteloom_codegen.model import Spec, TypeSpec

__all__ = ["run_round_trip"]

_MOST = 20_000
"""Records that are compared; a tree that instances make endless is not followed further."""


def run_round_trip(suite: Path, path: Path) -> None:
    """Read the data of *path*, write it, read it again; raise where anything differs."""
    test = Place(*parse(path.read_text(encoding="utf-8"), str(path)))
    form = Records(suite, path.stem, package=PLAIN)
    cls = form.class_of(form.spec.top)
    data = (suite / "src" / test["data"].text()).read_bytes()
    walk = _Walk(form)
    try:
        record = cls.from_bytes(data)
    except ByteloomError:
        if "exception" in test or form.spec.top.debug:
            return
        raise
    failed = walk.force(record)
    if "exception" in test:
        raise Differs("read without an error, and is meant to fail")
    asserts = list(test["asserts"].items()) if "asserts" in test else []
    if failed and asserts and not any("exception" in each for each in asserts):
        raise failed
    written = record.to_bytes()
    if written != data:
        raise Differs(f"wrote {_around(written, data)}, read {_around(data, written)}")
    again = cls.from_bytes(written)
    walk.force(again)
    walk.compare(record, again, "")


def _around(data: bytes, other: bytes) -> str:
    pairs = enumerate(zip(data, other, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(data), len(other)))
    return f"{len(data)} bytes, at {at} {data[at : at + 16]!r}"


class _Walk:
    """Goes through records with the spec in hand: every member of every type that it knows."""

    def __init__(self, form: Records) -> None:
        self._types: dict[type, TypeSpec] = {}
        seen: list[Spec] = []
        waiting = [form.spec]
        while waiting:
            spec = waiting.pop()
            if spec not in seen:
                seen.append(spec)
                waiting += spec.imports
                self._types |= {form.class_of(each): each for each in spec.top.walk()}

    def members(self, record: Record) -> Iterator[str]:
        """Yield the names of everything that a record has."""
        spec = self._types.get(type(record))
        for each in (*spec.params, *spec.seq, *spec.instances) if spec else ():
            yield attribute_name(each.name)

    def force(self, record: Record) -> ByteloomError | None:
        """Ask for every instance of every record; return the first error."""
        failed, seen, waiting = None, set[int](), [record]
        while waiting and len(seen) < _MOST:
            each = waiting.pop()
            if id(each) in seen:
                continue
            seen.add(id(each))
            for name in self.members(each):
                try:
                    value = getattr(each, name)
                except ByteloomError as error:
                    failed = failed or error
                else:
                    waiting += _records(value)
        return failed

    def compare(self, one: Any, other: Any, path: str) -> None:
        """Raise where two records differ."""
        seen, waiting = set[int](), [(one, other, _Path(path))]
        while waiting and len(seen) < _MOST:
            a, b, at = waiting.pop()
            if isinstance(a, Record) and type(a) is type(b):
                if id(a) not in seen:
                    seen.add(id(a))
                    waiting += [
                        (_member(a, name), _member(b, name), _Path(f".{name}", at))
                        for name in self.members(a)
                    ]
            elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
                waiting += [
                    (x, y, _Path(f"[{i}]", at)) for i, (x, y) in enumerate(zip(a, b, strict=True))
                ]
            elif not _same(a, b):
                raise Differs(f"{at}: wrote {a!r}, read again as {b!r}")


class _Path(NamedTuple):
    """A member or an element and its owner; texts would take the square of a chain's length."""

    name: str
    owner: _Path | None = None

    def __str__(self) -> str:
        names, each = [self.name], self.owner
        while each is not None:
            names.append(each.name)
            each = each.owner
        return "".join(reversed(names))


def _records(value: Any) -> list[Record]:
    if isinstance(value, list):
        return [record for each in value for record in _records(each)]
    return [value] if isinstance(value, Record) else []


def _member(record: Record, name: str) -> Any:
    try:
        return getattr(record, name)
    except ByteloomError as error:
        return type(error)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Reader) and isinstance(b, Reader):
        return a.size == b.size
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return type(a) is type(b) and bool(a == b)
