"""The worked examples beside a folder of specs: ``vectors.yaml``.

A vector belongs to a type, has bytes as hex and one of three outcomes: ``value`` (reads so, and
writes back to the same bytes), ``reads_as`` (reads so, and is never written so) or ``refused`` (the
field and what its error says).  A section whose name no type can have, such as ``puffin file``, is
about contents, which take a library to read: types say where their bytes are, not what they mean.
Numbers in dumps have names from the enums of their fields.
The JSON form is for tests in other languages, and documented in ``specs/README.md``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import yaml

from byteloom_codegen.errors import GenerateError
from byteloom_codegen.marks import GENERATOR
from byteloom_codegen.model import (
    AnyType,
    ArrayType,
    BytesType,
    ContentsType,
    DataType,
    EnumType,
    Field,
    SwitchType,
    UserType,
)
from byteloom_codegen.python.names import attribute_name, class_names, module_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from byteloom_codegen.model import Spec, TypeSpec

__all__ = [
    "OUTCOMES",
    "SAMPLE",
    "Annotate",
    "Example",
    "Part",
    "Tracer",
    "annotated",
    "as_json",
    "load_examples",
    "name_numbers",
]


OUTCOMES: Final = ("value", "reads_as", "refused")
SAMPLE: Final = "sample"
"""The outcome of a sample file, which a page shows and which is not a vector."""

_EXACT: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes from *start* up to *end* of an example, and the fields in them."""

    start: int
    end: int
    labels: tuple[str, ...]


Annotate: TypeAlias = Callable[[str, str, bytes, Mapping[str, Any], str], Sequence[Part]]
"""Divides bytes among their fields.

It takes the module, the class in it, the bytes, the parameters of the record, and the name of the
example, which begins its errors.
"""

Tracer: TypeAlias = Callable[[Mapping[str, str]], Annotate]
"""Makes an `Annotate` that runs these modules: their source by name."""


@dataclass(frozen=True, slots=True)
class Example:
    """One example of ``vectors.yaml``.

    about     the section of the file that it is in
    type      the type that the section names; None if the example is about contents
    from_end  positions follow from the end, so a prefix may be refused for another reason
    params    arguments for the parameters of its type
    defaults  fields that are left to the values that the spec gives them
    file      the file that has it
    """

    about: str
    type: TypeSpec | None
    name: str
    raw: bytes
    outcome: str
    wanted: Any
    origin: str
    from_end: bool
    params: Mapping[str, Any]
    defaults: Sequence[str]
    file: Path

    @property
    def place(self) -> str:
        """What names it in errors."""
        return f'{self.file}: "{self.name}" of {self.about}'


def load_examples(path: Path, specs: Sequence[Spec]) -> list[Example]:
    """Return the vectors in *path* for *specs*; none where there is no such file."""
    if not path.is_file():
        return []
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return [
            _example(case, name, _type(name, specs), path)
            for name, cases in loaded.items()
            for case in cases
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
        reason = f"found a vector without {str(error) or 'an outcome'}" if missing else error
        raise GenerateError(f"{path}: {reason}") from error


def _type(name: str, specs: Sequence[Spec]) -> TypeSpec | None:
    if not name.isidentifier():
        return None
    found = [each for spec in specs for each in spec.top.walk() if each.name == name]
    if len(found) != 1:
        raise ValueError(f"found {len(found)} types called {name}, wanted one")
    return found[0]


def _example(case: dict[str, Any], about: str, spec: TypeSpec | None, file: Path) -> Example:
    outcome = next(each for each in OUTCOMES if each in case)
    return Example(
        about=about,
        type=spec,
        name=str(case["name"]),
        raw=bytes.fromhex(case["hex"]),
        outcome=outcome,
        wanted=case[outcome],
        origin=str(case.get("from", "")),
        from_end=bool(case.get("from_end")),
        params=_params(case.get("params", {}), spec),
        defaults=case.get("defaults", ()),
        file=file,
    )


def _params(given: dict[str, Any], spec: TypeSpec | None) -> dict[str, Any]:
    """Return the arguments of a vector in the order of its parameters."""
    names = [] if spec is None else [each.name for each in spec.params]
    if sorted(given) != sorted(names):
        raise ValueError(f"found params {sorted(given)}, wanted {names}")
    return {name: given[name] for name in names}


def annotated(example: Example, annotate: Annotate) -> Sequence[Part]:
    """Return the bytes of *example*, which has a type, divided among its fields by the parser."""
    if example.type is None:
        raise TypeError(example.about)
    spec = example.type.spec
    given = {param.name: param.type for param in example.type.params}
    params = {
        attribute_name(name): bytes.fromhex(value) if isinstance(given[name], BytesType) else value
        for name, value in example.params.items()
    }
    record = class_names(spec).of(example.type)
    module = module_name(spec.name)
    parts = annotate(module, record, example.raw, params, example.place)
    return [Part(each.start, each.end, name_numbers(each.labels, example.type)) for each in parts]


def as_json(name: str, examples: Sequence[Example]) -> str:
    """Return the vectors of the format *name* in their stable JSON form."""
    shape = {"generator": GENERATOR, "format": name, "vectors": [_shape(each) for each in examples]}
    return json.dumps(shape, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _shape(example: Example) -> dict[str, Any]:
    spec, outcome = example.type, example.outcome
    about: dict[str, Any] = {"content": example.about}
    wanted = _plain(example.wanted)
    if outcome == "refused":
        wanted = {key: str(value) for key, value in wanted.items()}
    if spec is not None:
        about = {"spec": spec.spec.name, "type": spec.name}
        about |= {"params": _plain(dict(example.params))} if example.params else {}
        wanted = wanted if outcome == "refused" else _record(example.wanted, spec)
    shape: dict[str, Any] = {**about, "name": example.name, "hex": example.raw.hex()}
    shape |= {"outcome": outcome, outcome: wanted}
    shape |= {"from": example.origin} if example.origin else {}
    shape |= {"defaults": list(example.defaults)} if example.defaults else {}
    return shape | ({"from_end": True} if example.from_end else {})


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
    """Return the case of a switch whose type *value* has."""
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
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, int) and abs(value) > _EXACT:
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value if value is None or isinstance(value, bool | int | float) else str(value)


_NUMBER: Final = re.compile(r"(?P<path>[\w.\[\]]+) = (?P<value>-?\d+)")
_BITS: Final = re.compile(r" \(bits? \d+(?:\.\.\d+)?\)(?= = |$)")
"""Bits in the order of reading: a page numbers those of a field in its table, from the lowest."""
_INDEX: Final = re.compile(r"\[\d+\]")


def name_numbers(labels: Sequence[str], spec: TypeSpec) -> tuple[str, ...]:
    """Return *labels* of a record of *spec*, with the name of each number that its enum names."""
    return tuple(_named(each, spec) for each in labels)


def _named(label: str, spec: TypeSpec) -> str:
    label = _BITS.sub("", label)
    match = _NUMBER.fullmatch(label)
    if match is None:
        return label
    names = _INDEX.sub("", match["path"]).split(".")
    number = int(match["value"])
    found = {
        member.name
        for type_ in _types(names, spec)
        if isinstance(type_, EnumType)
        for member in type_.enum.members
        if member.value == number
    }
    return f"{match['path']} = {found.pop()} ({number})" if len(found) == 1 else label


def _types(names: list[str], spec: TypeSpec) -> Iterator[DataType]:
    """Yield the types that the field at the end of a path may have: several after a switch."""
    member = spec.member(names[0])
    if not isinstance(member, Field):
        return
    for type_ in _cases(member.type):
        if len(names) == 1:
            yield type_
        elif isinstance(type_, UserType):
            yield from _types(names[1:], type_.type)


def _cases(type_: DataType) -> Iterator[DataType]:
    if isinstance(type_, SwitchType):
        for case in type_.cases:
            yield from _cases(case.type)
    else:
        yield type_
