"""The worked examples of `specs/*/vectors.yaml`, each with the codec that it is about.

A vector has one of three outcomes: `value` (reads so, and writes back to the same bytes),
`reads_as` (reads so, and is never written so) and `refused` (the field and what its error says).
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml
from tests.support.contents import CONTENTS

import byteloom_generated
from byteloom.wire import Record

if TYPE_CHECKING:
    from collections.abc import Callable

_KEYS: Final = frozenset(
    {"name", "from", "hex", "value", "reads_as", "refused", "params", "defaults", "from_end"}
)
"""The keys of a vector, as `specs/README.md` explains them."""

SPECS = Path(__file__).parents[2] / "specs"

_Parser: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Codec:
    """How something is read, shown as plain data, and written."""

    read: Callable[[bytes], Any]
    plain: Callable[[Any], object]
    write: Callable[[Any], bytes]


@dataclass(frozen=True)
class Vector:
    """One example: what it is about, its bytes, and what has to come of them.

    record    the generated class, where it is about a type of a spec
    from_end  a beginning of it is refused, though not as cut off: its layout starts at its end
    params    arguments for the parameters of the type
    defaults  fields that have their defaults, so that a program may leave them out
    """

    id: str
    about: str
    codec: Codec
    raw: bytes
    outcome: str
    wanted: Any
    from_end: bool
    record: type[Record] | None
    params: dict[str, Any]
    defaults: list[str]


def vectors(outcome: str) -> list[Vector]:
    """Return all vectors of one outcome."""
    return [
        each
        for path in sorted(SPECS.glob("*/vectors.yaml"))
        for each in vectors_of(path)
        if each.outcome == outcome
    ]


@cache
def vectors_of(path: Path) -> list[Vector]:
    """Return all vectors of a file."""
    records = records_of(path.parent.name)
    listed = yaml.load(path.read_text(encoding="utf-8"), _Parser)  # noqa: S506  (a safe loader)
    return [
        _vector(f"{path.parent.name}/{name}: {case['name']}", name, records.get(name), case)
        for name, cases in listed.items()
        for case in cases
    ]


def records_of(format_name: str) -> dict[str, type[Record]]:
    """Return the generated records of a format by the name they have in their spec."""
    package = importlib.import_module(f"{byteloom_generated.__name__}.{format_name}")
    found: dict[str, type[Record]] = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        found |= {each.NAME: each for each in vars(module).values() if _is_record(each)}
    return found


def plain(value: object, like: object = None) -> object:
    """Return a record as the plain data of vectors: bytes as hex, names as the spec has them.

    like  plain data; calculated attributes that it names are in the outcome as well
    """
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        items = like[: len(value)] if isinstance(like, list) else []
        return [plain(each, item) for each, item in zip_longest(value, items)]
    if is_dataclass(value) and not isinstance(value, type):
        members = like if isinstance(like, dict) else {}
        names = {each.name.rstrip("_"): each.name for each in fields(value) if each.init}
        names |= {name: name for name in members.keys() - names if hasattr(value, name)}
        return {name: plain(getattr(value, own), members.get(name)) for name, own in names.items()}
    return value


def tidy(value: object) -> object:
    """Return the value of a vector with the blanks taken out of its hex."""
    if isinstance(value, dict):
        return {key: tidy(each) for key, each in value.items()}
    if isinstance(value, list):
        return [tidy(each) for each in value]
    return value.replace(" ", "") if isinstance(value, str) else value


def _is_record(each: object) -> bool:
    return isinstance(each, type) and issubclass(each, Record) and each is not Record


def _params(record: type[Record], given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a record, bytes from their hex."""
    types = record.__annotations__
    return {
        name: bytes.fromhex(value) if types.get(name) == "bytes" else value
        for name, value in given.items()
    }


def _vector(id_: str, about: str, record: type[Record] | None, case: dict[str, Any]) -> Vector:
    if unknown := case.keys() - _KEYS:
        raise ValueError(f"{id_}: unknown keys {', '.join(sorted(unknown))}")
    if not isinstance(case["hex"], str):
        raise TypeError(f"{id_}: `hex` must be in quotes, or it is a number")
    if record is None and about not in CONTENTS:
        raise ValueError(
            f"{id_}: no generated type has the name {about}, and it is not in CONTENTS of"
            " tests/support/contents.py; after a change of a spec, run `make generate`"
        )
    params = {} if record is None else _params(record, case.get("params", {}))
    outcome = next(each for each in ("value", "reads_as", "refused") if each in case)
    codec = (
        Codec(*CONTENTS[about])
        if record is None
        else Codec(
            partial(record.from_bytes, **params),
            partial(plain, like=case[outcome]),
            Record.to_bytes,
        )
    )
    return Vector(
        id=id_,
        about=about,
        codec=codec,
        raw=bytes.fromhex(case["hex"]),
        outcome=outcome,
        wanted=case[outcome],
        from_end=bool(case.get("from_end")),
        record=record,
        params=params,
        defaults=case.get("defaults", []),
    )
