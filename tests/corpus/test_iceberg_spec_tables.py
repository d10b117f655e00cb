"""Tables of the spec and of Java's tests: single values, hashes, bounds."""

from __future__ import annotations

import json
import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.corpus import corpus_cases
from tests.support.iceberg_vectors import type_of, value

from byteloom.iceberg import values
from byteloom.iceberg.expressions.stats import Bounds, Spans
from byteloom.iceberg.geo_bounds import GeoBound
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.transforms.hashing import hash_array
from byteloom.iceberg.type_json import type_from_json
from byteloom.iceberg.types import Type, parse_primitive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FOLDER = "iceberg/vectors"
PARTS = {"X": "x", "Y": "y", "Z": "z", "M": "m"}
NESTED: dict[str, Any] = {
    "list<int>": {"type": "list", "element-id": 1, "element-required": True, "element": "int"},
    "map<int,string>": {
        "type": "map",
        "key-id": 1,
        "key": "int",
        "value-id": 2,
        "value-required": True,
        "value": "string",
    },
    "struct<4:int,5:string>": {
        "type": "struct",
        "fields": [
            {"id": 4, "name": "a", "required": True, "type": "int"},
            {"id": 5, "name": "b", "required": True, "type": "string"},
        ],
    },
}


def rows_of(table: str) -> Callable[[Path], Iterator[Any]]:
    """A finder of one table's rows."""

    def find(folder: Path) -> Iterator[Any]:
        path = folder / "spec_tables.json"
        if path.is_file():
            for number, row in enumerate(json.loads(path.read_text()).get(table, [])):
                yield pytest.param(row, id=f"{table}[{number}]")

    return find


def type_named(name: str) -> Type:
    """The type of that name, nested ones included."""
    return type_from_json(NESTED[name]) if name in NESTED else parse_primitive(name)


def storage_value(of: Type, written: Any) -> Any:
    """The storage value that a row writes as JSON or as in the vectors; floats as numbers."""
    if isinstance(written, str) and of.kind in {"fixed", "binary", "float", "double"}:
        first = written.split(maxsplit=1)[0]
        return bytes.fromhex(first) if of.kind in {"fixed", "binary"} else float(first)
    return values.from_json(of, written) if isinstance(written, str) else value(written)


@corpus_cases(FOLDER, rows_of("single_value_binary"))
def test_a_value_has_the_bytes_of_appendix_d(case: list[Any]) -> None:
    """And those bytes are read as the value."""
    name, written, wanted = case
    of = parse_primitive(name)
    found = storage_value(of, written)
    assert values.to_binary(of, found).hex() == wanted
    assert values.from_binary(of, bytes.fromhex(wanted)) == found


@corpus_cases(FOLDER, rows_of("single_value_json"))
def test_a_value_has_the_json_of_appendix_c(case: list[str]) -> None:
    """Read and written again it is the same; hexadecimal is, but for its case."""
    name, text = case
    of, document = type_named(name), json.loads(text)
    written = values.to_json(of, values.from_json(of, document))
    if of.kind in {"fixed", "binary"}:
        assert written.lower() == document.lower()
    else:
        assert written == document


@corpus_cases(FOLDER, rows_of("hash32"))
def test_a_value_has_the_hash_of_appendix_b(case: list[Any]) -> None:
    """Text after a type or a value in the table is a remark."""
    name, written, wanted = case
    kind = name.split(" (")[0]
    held = Decimal(written) if kind == "decimal" else written
    of = type_of(kind, held)
    found = held if kind == "decimal" else storage_value(of, written)
    assert hash_array(of, storage_array(of, [found])).tolist() == [wanted]


@corpus_cases(FOLDER, rows_of("geo_bounds_binary"))
def test_a_geospatial_bound_has_its_bytes(case: list[Any]) -> None:
    """A corner of two to four numbers, both ways."""
    parts, numbers, wanted = case
    corner = GeoBound(**{PARTS[part]: each for part, each in zip(parts, numbers, strict=True)})
    assert corner.to_bytes().hex() == wanted
    assert GeoBound.from_bytes(bytes.fromhex(wanted)) == corner


@corpus_cases(FOLDER, rows_of("bound_type_at_write"))
def test_a_bound_from_before_a_promotion_is_told(case: list[Any]) -> None:
    """A bound of any length that the column's type ever had is read; one of another is not."""
    name, size, before = case
    if "(" in name:
        of, old = parse_primitive("decimal(20, 2)"), parse_primitive("decimal(9, 2)")
        first: Any = Decimal("1.25")
    else:
        of, old, first = parse_primitive(name), parse_primitive(before), 1
    written = values.to_binary(old, first)
    assert size in {len(written), "any"}
    bounds = Bounds.read(of, Spans.of([written, written + bytes(20)]))
    promoted = values.from_binary(of, written)
    assert bounds.is_told.tolist()[0]
    assert bounds.signs(promoted).tolist()[0] == 0


def nan_patterns(folder: Path) -> Iterator[Any]:
    """Each pattern of a NaN, with its type."""
    path = folder / "spec_tables.json"
    tables = json.loads(path.read_text()) if path.is_file() else {}
    found = tables.get("nan_patterns_same_hash_as_7ff8000000000000", {})
    for name, patterns in found.items():
        for pattern in patterns:
            yield pytest.param((name, pattern), id=f"nan {name} {pattern}")


@corpus_cases(FOLDER, nan_patterns)
def test_all_nans_hash_alike(case: tuple[str, str]) -> None:
    """Whatever bits a NaN has, its hash is that of the canonical one."""
    name, pattern = case
    of = parse_primitive("float" if name == "float32" else "double")
    raw = np.frombuffer(bytes.fromhex(pattern)[::-1], name)
    canonical = struct.unpack(">d", bytes.fromhex("7ff8000000000000"))
    double = parse_primitive("double")
    assert hash_array(of, pa.array(raw)) == hash_array(double, pa.array(canonical))
