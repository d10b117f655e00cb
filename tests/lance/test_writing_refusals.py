"""What is refused when it is written, since it would be lost, or readers would fail over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import ArgumentError, Unsupported

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = ["2.0", "2.1", "2.2"]
NUMBERS = pa.array([0, 5, None])
WORDS = pa.array(["a", "b"])


def of_bytes(type_: pa.DataType, ends: list[int], data: bytes) -> pa.Array:
    """An array of text made of buffers, which Arrow does not look at."""
    offsets = pa.array(ends, pa.int32()).buffers()[1]
    return pa.Array.from_buffers(type_, len(ends) - 1, [None, offsets, pa.py_buffer(data)])


def nested(depth: int, kind: str) -> pa.DataType:
    """A type of a given number of types around one."""
    found = pa.int8()
    for _ in range(depth):
        found = pa.struct([("a.b", found)]) if kind == "struct" else pa.list_(found)
    return found


BROKEN = {
    "text": of_bytes(pa.string(), [0, 1, 2], b"a\xff"),
    "offsets": of_bytes(pa.string(), [0, 2, 1, 2], b"ab"),
    "list": pa.ListArray.from_arrays(
        pa.array([0, 2], pa.int32()), of_bytes(pa.string(), [0, 1, 2], b"a\xff")
    ),
    "index": pa.DictionaryArray.from_arrays(NUMBERS, WORDS, safe=False),
    "large text": pa.Array.from_buffers(
        pa.large_string(), 1, [None, pa.array([0, 1]).buffers()[1], pa.py_buffer(b"\xff")]
    ),
    "text in a struct": pa.StructArray.from_arrays(
        [WORDS, of_bytes(pa.string(), [0, 1, 2], b"a\xff")], ["a", "b"]
    ),
    "index beside text": pa.StructArray.from_arrays(
        [
            pa.array(["a", "b", "c"]),
            pa.DictionaryArray.from_arrays(NUMBERS, WORDS, safe=False),
        ],
        ["a", "b"],
    ),
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", BROKEN)
def test_arrays_that_are_not_valid_are_refused(name: str, version: str, tmp_path: Path) -> None:
    """No file is made of text that is not UTF-8, nor of offsets or indices that lead nowhere."""
    place = tmp_path / "a.lance"
    table = pa.table({"x": BROKEN[name]})
    with (
        pytest.raises(ArgumentError, match=r"rows.x: found .*, wanted valid Arrow data"),
        lance.LanceWriter(place, table.schema, version=version) as writer,
    ):
        writer.write(table)
    assert not place.exists()


def test_rows_beside_those_of_a_slice_are_not_looked_at() -> None:
    """Bytes outside of the rows that are written may be anything."""
    table = pa.table({"x": BROKEN["text"]}).slice(0, 1)
    with lance.open(written(table, "2.2")) as file:
        assert file.to_table().to_pydict() == {"x": ["a"]}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["struct", "list"])
def test_as_many_types_around_one_as_others_read_are_written(kind: str, version: str) -> None:
    """62 types around one are written and read; 63, or 3,000, are refused."""
    table = pa.table({"x": pa.array([], nested(62, kind))})
    with lance.open(written(table, version)) as file:
        assert file.schema == table.schema
    for depth in (63, 3_000):
        schema = pa.schema([("x", nested(depth, kind))])
        with pytest.raises(Unsupported, match=r"schema.x: found more, wanted at most 62 fields"):
            lance.LanceWriter("unused", schema, version=version)


def zone(name: str) -> pa.DataType:
    """A timestamp of a time zone."""
    return pa.timestamp("us", name)


REFUSED: list[tuple[pa.Schema, str]] = [
    (pa.schema([("a\0b", pa.int8())]), r"schema: found the name 'a\\x00b', wanted a name without"),
    (pa.schema([("a", pa.struct([("\0", pa.int8())]))]), r"schema: found the name '\\x00'"),
    (pa.schema([("a", zone("-"))]), r"schema.a: found the time zone '-', wanted"),
    (pa.schema([("a", pa.list_(zone("x\0")))]), r"schema.a.item: found the time zone 'x\\x00'"),
    (
        pa.schema([], {b"\xff": b""}),
        r"schema: found metadata named b'\\xff', wanted names in UTF-8",
    ),
    (pa.schema([pa.field("a", pa.int8(), metadata={b"\xff": b""})]), r"schema.a: found metadata"),
]


@pytest.mark.parametrize(("schema", "message"), REFUSED)
def test_what_a_schema_cannot_say_is_refused(schema: pa.Schema, message: str) -> None:
    """Names with the byte 0, the time zone of times without one, names that are not text."""
    with pytest.raises(Unsupported, match=message):
        lance.LanceWriter("unused", schema)


@pytest.mark.parametrize("name", ["--", "", "a:b", "\xe9", "+99:99", " "])
def test_odd_time_zones_are_kept(name: str) -> None:
    """Any other name of a zone is read as it was written."""
    column: Any = pa.array([1, None], zone(name))
    with lance.open(written(pa.table({"a": column}), "2.2")) as file:
        assert file.schema.field("a").type == column.type
