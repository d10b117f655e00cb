"""The worked examples beside a folder of specs: ``vectors.yaml``.

A vector belongs to a type, has bytes as hex and one of three outcomes: ``value`` (reads so, and
writes back to the same bytes), ``reads_as`` (reads so, and is never written so) or ``refused`` (the
field and what its error says).  Their JSON form is for tests in other languages, and documented in
``specs/README.md``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import yaml

from byteloom_codegen.errors import GenerateError
from byteloom_codegen.model import (
    AnyType,
    ArrayType,
    BytesType,
    ContentsType,
    DataType,
    SwitchType,
    UserType,
)
from byteloom_codegen.python.names import ClassNames

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom_codegen.model import Spec, TypeSpec

__all__ = [
    "OUTCOMES",
    "Annotate",
    "Example",
    "Part",
    "Tracer",
    "annotated",
    "as_json",
    "load_examples",
]

OUTCOMES: Final = ("value", "reads_as", "refused")

_EXACT: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps whole."""


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes from *start* up to *end* of an example, and the fields that stand in them."""

    start: int
    end: int
    labels: tuple[str, ...]


Annotate: TypeAlias = Callable[[str, str, bytes], Sequence[Part]]
"""Divides bytes among their fields, given the module, the class in it, and the bytes."""

Tracer: TypeAlias = Callable[[Mapping[str, str]], Annotate]
"""Makes an `Annotate` that runs these modules: their source by name."""


@dataclass(frozen=True, slots=True)
class Example:
    """One vector, with the type that it is about."""

    type: TypeSpec
    name: str
    raw: bytes
    outcome: str
    wanted: Any
    origin: str


def load_examples(path: Path, specs: Sequence[Spec]) -> list[Example]:
    """Return the vectors in *path* for *specs*; none where there is no such file."""
    if not path.is_file():
        return []
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return [
            _example(case, _type(name, specs)) for name, cases in loaded.items() for case in cases
        ]
    except (
        yaml.YAMLError,
        KeyError,
        StopIteration,
        TypeError,
        AttributeError,
        ValueError,
    ) as error:
        missing = isinstance(error, KeyError | StopIteration)
        told = f"found a vector without {str(error) or 'an outcome'}" if missing else error
        raise GenerateError(f"{path}: {told}") from error


def _type(name: str, specs: Sequence[Spec]) -> TypeSpec:
    found = [each for spec in specs for each in spec.top.walk() if each.name == name]
    if len(found) != 1:
        raise ValueError(f"found {len(found)} types called {name}, wanted one")
    return found[0]


def _example(case: dict[str, Any], spec: TypeSpec) -> Example:
    outcome = next(each for each in OUTCOMES if each in case)
    origin = str(case.get("from", ""))
    return Example(
        spec, str(case["name"]), bytes.fromhex(case["hex"]), outcome, case[outcome], origin
    )


def annotated(example: Example, annotate: Annotate) -> Sequence[Part]:
    """Return the bytes of *example* divided among their fields, by the generated parser."""
    spec = example.type.spec
    return annotate(spec.name, ClassNames(spec).of(example.type), example.raw)


def as_json(name: str, examples: Sequence[Example]) -> str:
    """Return the vectors of the format *name* in their stable JSON form."""
    shape = {"format": name, "vectors": [_shape(each) for each in examples]}
    return json.dumps(shape, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _shape(example: Example) -> dict[str, Any]:
    wanted = example.wanted
    if example.outcome == "refused":
        wanted = {str(key): str(value) for key, value in wanted.items()}
    shape = {
        "spec": example.type.spec.name,
        "type": example.type.name,
        "name": example.name,
        "hex": example.raw.hex(),
        "outcome": example.outcome,
        example.outcome: wanted if example.outcome == "refused" else _record(wanted, example.type),
    }
    return shape | ({"from": example.origin} if example.origin else {})


def _record(value: Any, spec: TypeSpec) -> Any:
    """Return the value of a record so that every JSON reader reads it the same."""
    if not isinstance(value, dict):
        return _plain(value)
    types = {each.name: each.value_type for each in (*spec.params, *spec.seq, *spec.instances)}
    return {name: _portable(each, types.get(name, AnyType())) for name, each in value.items()}


def _portable(value: Any, type_: DataType) -> Any:
    match type_:
        case ArrayType(element=element) if isinstance(value, list):
            return [_portable(each, element) for each in value]
        case UserType(type=spec):
            return _record(value, spec)
        case SwitchType(cases=cases):
            return _portable(value, _fitting(value, [case.type for case in cases]))
        case BytesType() | ContentsType() if isinstance(value, str):
            return "".join(value.split()).lower()
    return _plain(value)


def _fitting(value: Any, types: list[DataType]) -> DataType:
    """Return the case of a switch that *value* is a value of."""
    for each in types:
        if isinstance(value, dict) and isinstance(each, UserType):
            if all(each.type.member(name) for name in value):
                return each
        elif isinstance(value, str) and isinstance(each, BytesType):
            return each
    return AnyType()


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, int) and abs(value) > _EXACT:
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value if value is None or isinstance(value, bool | int | float) else str(value)
