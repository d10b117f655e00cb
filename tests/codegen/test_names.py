"""Names of specs that Python, the records or the runtime use themselves are all accepted.

Internals: the functions that generated code calculates with are named by the runtime.
"""

import builtins
import dataclasses
import keyword
import re
import sys
from functools import cache
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import kaitaistruct
import pytest
from tests.support.tools import complaints

import byteloom.wire.calc
from byteloom.wire import Reader, Record
from byteloom_codegen.kaitaistruct import emit as emit_drop_in
from byteloom_codegen.load import load_text
from byteloom_codegen.model import Spec
from byteloom_codegen.python.module import emit
from byteloom_codegen.python.names import CALCULATIONS, upper_name

_SOURCES: Final = (
    keyword.kwlist,
    keyword.softkwlist,
    dir(builtins),
    dir(Record),
    dir(kaitaistruct.KaitaiStruct),
    byteloom.wire.calc.__all__,
    dataclasses.__all__,
    "annotations at byteloom cls collections computed data dataclass dataclasses enum index io",
    "is_le it it_x items kind limits name once origin params parent path r root self stream struct",
    "super typing unnamed0 value w x_at x_spare zlib mro i on m",
)
"""Where names come from that a spec may have too."""

_BARE: Final = sorted(
    {
        each.lower() if keyword.iskeyword(each) else each
        for source in _SOURCES
        for each in (source.split() if isinstance(source, str) else source)
    }
)
FORMULA: Final = re.compile(r"_(size|number)_of_")
"""What says how large fields are, which nobody but the runtime asks for."""

NAMES: Final = [
    each
    for bare in _BARE
    if re.fullmatch(r"[a-z][a-z0-9_]*", bare)
    for each in (bare, f"{bare}_", f"{bare}__")
]
IN_EXPRESSIONS: Final = [each for each in NAMES if each not in {"true", "false", "not"}]
TYPES: Final = [each for each in IN_EXPRESSIONS if each != "str"]

_HEAD: Final = "meta: {id: sample, endian: le, encoding: UTF-8}\n"
_INSTANCES: Final = (
    "{pos: 0, type: u1}",
    "{value: y + 1}",
    "{pos: 0, size: y % 4, if: y > 0}",
    "{pos: 0, type: u1, repeat: expr, repeat-expr: 2}",
    "{value: y / y, if: y != 0}",
)


def _members() -> dict[str, str]:
    """Return specs that have every name in one place each."""
    lengths = [
        f"{{id: {name}, type: u1}}, {{id: x{name}, size: {name}}}" for name in IN_EXPRESSIONS
    ]
    optional = [f"{{id: {name}, type: u1, if: y != 0}}" for name in NAMES]
    params = ", ".join(f"{{id: {name}, type: u1}}" for name in NAMES)
    instances = [
        f"  {name}: {_INSTANCES[number % len(_INSTANCES)]}\n" for number, name in enumerate(NAMES)
    ]
    return {
        "fields": _seq(f"{{id: {name}, type: u1}}" for name in NAMES),
        "lengths": _seq(lengths),
        "optional": _seq(["{id: y, type: u1}", *optional]),
        "bits": _seq(f"{{id: {name}, type: b3}}, {{id: x{name}, type: u1}}" for name in NAMES),
        "instances": _seq(["{id: y, type: u1}"]) + "instances:\n" + "".join(instances),
        "constants": _seq(["{id: y, type: u1}"])
        + "instances:\n  y_and_one: {value: y + 1}\n"
        + "".join(f"  {name}: {{value: {number}}}\n" for number, name in enumerate(NAMES)),
        "params": _seq([f"{{id: y, type: 'p({', '.join('1' for _ in NAMES)})'}}"])
        + f"types: {{p: {{params: [{params}], seq: [{{id: z, size: {NAMES[0]}}}]}}}}\n",
        "classes": _seq(f"{{id: y{name}, type: {name}}}" for name in TYPES)
        + "types:\n"
        + "".join(
            f"  {name}: {{seq: [{{id: {name}, type: u1, enum: {name}}}],"
            f" enums: {{{name}: {{0: {name}, 1: x}}}}, instances: {{y: {{value: {name}::x}}}}}}\n"
            for name in TYPES
        )
        + "enums:\n"
        + "".join(f"  {name}: {{0: {name}, 1: x}}\n" for name in TYPES),
    }


def _seq(fields: Any) -> str:
    return f"seq: [{', '.join(fields)}]\n"


SPECS: Final = {name: _HEAD + text for name, text in _members().items()}


@cache
def loaded(name: str) -> Spec:
    """Return the spec *name*."""
    return load_text(SPECS[name])


def run(source: str, name: str) -> ModuleType:
    """Run a generated module."""
    module = ModuleType(name)
    sys.modules[name] = module  # where dataclasses look names up
    exec(compile(source, f"{name}.py", "exec"), vars(module))  # noqa: S102  (the test)
    return module


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write each form of all specs into a folder of its own."""
    folder = tmp_path_factory.mktemp("printed")
    for form in ("records", "drop_ins", "read_write"):
        (folder / form).mkdir()
    for name in SPECS:
        spec = loaded(name)
        (folder / "records" / f"{name}.py").write_text(emit(spec, "sample.ksy"))
        (folder / "drop_ins" / f"{name}.py").write_text(emit_drop_in(spec)["sample.py"])
        both_ways = emit_drop_in(spec, read_write=True)["sample.py"]
        (folder / "read_write" / f"{name}.py").write_text(both_ways)
    return folder


@pytest.mark.parametrize("name", SPECS)
def test_records_take_every_name(name: str, printed: Path) -> None:
    """Records read and write fields of every name, each by an attribute of its own."""
    module = run((printed / "records" / f"{name}.py").read_text(), f"names_{name}")
    data = bytes(range(1, 8)) * 4000
    record = module.Sample.from_bytes(data)
    written = record.to_bytes()
    assert data.startswith(written[: len(NAMES)])
    asked = [
        each
        for each in dir(type(record))
        if isinstance(getattr(type(record), each), property) and not FORMULA.match(each)
    ]
    for each in asked:
        getattr(record, each)
    stored = [each.name for each in dataclasses.fields(record) if not each.name.startswith("_")]
    constants = [
        name
        for name, value in vars(module.Sample).items()
        if type(value) is int and not name.startswith("_")  # Python 3.13 has some of its own
    ]
    members = loaded(name).top
    named = {*stored, *asked, *filter(str.islower, constants)}
    assert len(named) == len(members.seq) + len(members.instances)


@pytest.mark.parametrize("name", SPECS)
def test_drop_ins_take_every_name(name: str, printed: Path) -> None:
    """Drop-in classes have as many attributes as the spec has fields, whatever their names."""
    module = run((printed / "drop_ins" / f"{name}.py").read_text(), f"drop_in_{name}")
    record = module.Sample.from_bytes(bytes(range(1, 8)) * 4000)
    record._fetch_instances()
    stored = [each for each in vars(record) if not each.startswith("_")]
    members = loaded(name).top
    assert len(stored) == len(members.seq)
    assert sum(isinstance(each, property) for each in vars(module.Sample).values()) == len(
        members.instances
    )


@pytest.mark.parametrize("name", SPECS)
def test_read_write_drop_ins_take_every_name(name: str, printed: Path) -> None:
    """Read-write classes check and write back fields of every name."""
    module = run((printed / "read_write" / f"{name}.py").read_text(), f"read_write_{name}")

    def read(data: bytes) -> Any:
        record = module.Sample(kaitaistruct.KaitaiStream(BytesIO(data)))
        record._read()
        record._fetch_instances()
        return record

    record = read(bytes(range(1, 8)) * 4000)
    for each in vars(record).values():
        if isinstance(each, kaitaistruct.KaitaiStruct) and each is not record:
            each._check()
    record._check()
    stream = kaitaistruct.KaitaiStream(BytesIO(bytes(28_000)))
    record._write(stream)
    assert values_of(read(stream.to_byte_array())) == values_of(record)


def values_of(record: Any) -> dict[str, Any]:
    """Return what is in a record's fields and instances, and in those of its records."""
    return {
        name: values_of(value) if isinstance(value, kaitaistruct.KaitaiStruct) else value
        for name, value in vars(record).items()
        if name not in {"_io", "_parent", "_root"}
    }


@pytest.mark.parametrize(("tool", "folder"), [("format", "."), ("mypy", "records")])
def test_tools_have_nothing_to_say(tool: str, folder: str, printed: Path) -> None:
    """Modules with such names pass ruff's formatter, and records pass mypy's strict mode."""
    assert not complaints(tool, folder, cwd=printed)


def test_calculations_are_known_to_the_generator() -> None:
    """The generator knows the names of all runtime functions, so that no variable hides one."""
    assert set(byteloom.wire.calc.__all__) <= CALCULATIONS


@pytest.mark.parametrize(
    ("fields", "attributes"),
    [
        (["class"], ["class_"]),
        (["class", "class_"], ["class_", "class__"]),
        (["class_"], ["class__"]),
        (["int_", "int"], ["int__", "int_"]),
        (["to_file", "limits", "data"], ["to_file_", "limits", "data"]),
    ],
)
def test_a_reserved_name_gets_an_underscore_more(fields: list[str], attributes: list[str]) -> None:
    """A reserved name, or one that ends in underscores, gets another underscore."""
    text = _HEAD + _seq(f"{{id: {name}, type: u1}}" for name in fields)
    record = run(emit(load_text(text), "sample.ksy"), "reserved").Sample
    assert [each.name for each in dataclasses.fields(record)] == attributes


@pytest.mark.parametrize(
    ("fields", "attributes"),
    [
        (["class"], ["class_"]),
        (["class", "class_"], ["class__", "class_"]),
        (["class_"], ["class_"]),
        (["to_file", "int"], ["to_file", "int"]),
    ],
)
def test_a_drop_in_keeps_every_name_it_can(fields: list[str], attributes: list[str]) -> None:
    """A drop-in class changes only names that Python cannot use."""
    text = _HEAD + _seq(f"{{id: {name}, type: u1}}" for name in fields)
    record: Any = run(emit_drop_in(load_text(text))["sample.py"], "kept").Sample.from_bytes(
        bytes(9)
    )
    assert [each for each in vars(record) if not each.startswith("_")] == attributes


@pytest.mark.parametrize("name", IN_EXPRESSIONS)
def test_a_parameter_has_one_name_everywhere(name: str) -> None:
    """A parameter has the name of its attribute in the constructor, `read` and `from_bytes`."""
    text = f"{_HEAD}params: [{{id: {name}, type: u1}}]\nseq: [{{id: x_, size: {name}}}]\n"
    record = run(emit(load_text(text), "sample.ksy"), "handed").Sample
    attribute, x = (each.name for each in dataclasses.fields(record))
    read = record.from_bytes(b"abc", **{attribute: 2})
    assert (getattr(read, attribute), getattr(read, x)) == (2, b"ab")
    assert record.read(Reader(b"abc"), **{attribute: 2}) == read
    assert record(**{attribute: 2, x: b"ab"}).to_bytes() == b"ab"
    assert record.from_bytes(b"abcd" * 50_000, **{attribute: 2}) == record(
        **{attribute: 2, x: b"ab"}
    )


@pytest.mark.parametrize("name", ["kind", "len", "r", "w", "self", "cls", "at", "bounded", "path"])
def test_a_parameter_keeps_a_name_that_methods_use(name: str) -> None:
    """A name that only methods use, as variables or functions, is no reason to change another."""
    text = f"{_HEAD}params: [{{id: {name}, type: u1}}]\nseq: [{{id: x, size: {name}}}]\n"
    record = run(emit(load_text(text), "sample.ksy"), "handed").Sample
    kept = f"{name}_" if name in {"self", "cls"} else name
    assert record.from_bytes(b"abc", **{kept: 2}).x == b"ab"


def test_types_that_one_constant_would_name_have_one_each() -> None:
    """Types `ab` and `a_b` have layout constants of their own."""
    text = (
        f"{_HEAD}seq: [{{id: a, type: ab}}, {{id: b, type: a_b}}]\n"
        "types: {ab: {seq: [{id: x, type: u1}, {id: y, type: u2}]},"
        " a_b: {seq: [{id: x, type: u2}, {id: y, type: u1}]}}\n"
    )
    record = run(emit(load_text(text), "sample.ksy"), "constants").Sample.from_bytes(
        b"\1\2\0\3\0\4"
    )
    assert (record.a.x, record.a.y, record.b.x, record.b.y) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("name", "constant"),
    [
        ("RootEntry", "ROOT_ENTRY"),
        ("Hfile", "HFILE"),
        ("Elf64Header", "ELF64_HEADER"),
        ("AB", "AB"),
    ],
)
def test_words_of_a_class_stay_apart_in_constants(name: str, constant: str) -> None:
    """A constant's name has an underscore before each word of the class but the first."""
    assert upper_name(name) == constant
