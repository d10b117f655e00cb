"""``byteloom.records``: records that a spec describes, of many files, as a DataFrame."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.spark_sources import elsewhere, planned, rows_of

pytest.importorskip("pyspark")

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.spark import error_of
from byteloom.spark.sources.records import compiled_spec

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """
meta:
  id: track
  endian: le
seq:
  - {id: num_points, type: u4}
  - {id: points, type: point, repeat: expr, repeat-expr: num_points}
  - {id: rest, type: mark, repeat: eos}
types:
  point:
    seq:
      - {id: seconds, type: u4}
      - {id: celsius, type: s2}
      - {id: kind, type: u1, enum: kind}
  mark:
    seq:
      - {id: len_name, type: u1}
      - {id: name, size: len_name, type: str, encoding: UTF-8}
enums:
  kind: {1: air, 2: water}
"""


def track(points: list[tuple[int, int, int]], *names: str) -> bytes:
    """A file of points and marks."""
    marks = b"".join(bytes([len(name)]) + name.encode() for name in names)
    return (
        struct.pack("<I", len(points)) + b"".join(struct.pack("<IhB", *p) for p in points) + marks
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two files with points and marks."""
    (tmp_path / "a.trk").write_bytes(track([(0, 21, 1), (4_000_000_000, -3, 2)], "one", "two"))
    (tmp_path / "b.trk").write_bytes(track([(7, 0, 9)]))
    return tmp_path


POINTS = [
    {"seconds": 0, "celsius": 21, "kind": "air"},
    {"seconds": 4_000_000_000, "celsius": -3, "kind": "water"},
    {"seconds": 7, "celsius": 0, "kind": "9"},
]


def test_records_of_many_files_are_rows(spark: Any, folder: Path) -> None:
    """Records of many files are rows, described by a spec that is given as text."""
    made = spark.read.format("byteloom.records").options(spec=SPEC, records="points")
    found = made.load(f"{folder}/*.trk")
    assert [name for name, _ in found.dtypes] == ["seconds", "celsius", "kind"]
    assert [each.asDict() for each in found.orderBy("seconds", ascending=True).collect()] == [
        POINTS[0],
        POINTS[2],
        POINTS[1],
    ]


def test_a_spec_may_be_a_file(folder: Path) -> None:
    """The spec may be a file, and the columns some fields of any repeated field."""
    (folder / "_spec.ksy").write_text(SPEC)
    options = {"spec": f"{folder}/_spec.ksy", "records": "rest", "columns": "name"}
    reader, _ = planned("byteloom.records", path=str(folder), **options)
    assert rows_of(reader) == pa.table({"name": ["one", "two"]})


def test_the_compiled_spec_needs_no_spec_and_no_compiler(folder: Path) -> None:
    """A compiled spec works by itself in executors, and beside one with the same module names."""
    other = SPEC.replace("celsius", "fahrenheit")
    for text, name in ((SPEC, "celsius"), (other, "fahrenheit")):
        made = elsewhere(compiled_spec(text, "points")).records
        (found,) = made.batches((folder / "a.trk").read_bytes())
        assert found.schema == made.schema
        assert found.column(name).to_pylist() == [21, -3]


INNER = """
meta: {id: nest, endian: le}
seq:
  - {id: magic, contents: AB}
  - {id: count, type: u2}
  - {id: first, type: body, size: 6}
  - {id: second, type: other}
types:
  body:
    seq:
      - {id: points, type: point, repeat: eos}
  other:
    seq:
      - {id: points, type: point, repeat: until, repeat-until: _.x == 0}
      - {id: later, type: point, repeat: expr, repeat-expr: points.size}
  point:
    seq: [{id: x, type: s2}]
"""


@pytest.mark.parametrize(
    ("records", "values"),
    [
        ("first.points", [10, 20, 30]),
        ("second.points", [40, 0]),
        ("second.later", [50, 60]),
        ("later", [50, 60]),
    ],
)
def test_records_inside_of_another_record_are_rows(
    tmp_path: Path, records: str, values: list[int]
) -> None:
    """Records in an inner record are read from where that is, with a loop or without."""
    (tmp_path / "a.nest").write_bytes(b"AB" + struct.pack("<H7h", 3, 10, 20, 30, 40, 0, 50, 60))
    reader, _ = planned("byteloom.records", path=str(tmp_path), spec=INNER, records=records)
    assert rows_of(reader)["x"].to_pylist() == values


def test_a_spec_that_repeats_nothing_is_read_from_end_to_end(tmp_path: Path) -> None:
    """Where no field repeats, the outermost records that fill a file are the rows."""
    (tmp_path / "a.pts").write_bytes(struct.pack("<3h", 1, 2, 3))
    spec = "meta: {id: point, endian: le}\nseq: [{id: x, type: s2}]\n"
    reader, _ = planned("byteloom.records", path=str(tmp_path), spec=spec)
    assert rows_of(reader)["x"].to_pylist() == [1, 2, 3]


def test_damage_is_named_with_its_file(spark: Any, folder: Path) -> None:
    """The error for a damaged record names its file, the record and the place."""
    (folder / "c.trk").write_bytes(track([(0, 21, 1)])[:-1])
    made = spark.read.format("byteloom.records").options(spec=SPEC, records="points")
    with pytest.raises(Exception, match=r"byteloom\.errors") as caught:
        made.load(str(folder)).count()
    assert str(error_of(caught.value)).startswith(f"{folder}/c.trk: track.points at byte 4 ")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({}, FormatError, "option spec: found nothing, wanted the path or the text of a spec"),
        ({"spec": "none.ksy"}, FormatError, r"option spec: found .*none\.ksy"),
        ({"spec": SPEC.replace("u4", "u9")}, FormatError, "option spec: found .*u9"),
        ({"spec": SPEC}, Unsupported, "option records: found None, wanted one of points, rest"),
        ({"spec": SPEC, "records": "marks"}, Unsupported, "found 'marks', wanted one of points"),
        ({"spec": "meta: {id: a}\nseq: []\n"}, Unsupported, "wanted records that can be scanned"),
        (
            {"spec": "meta: {id: a}\nparams: [{id: n, type: u1}]\nseq: [{id: x, size: n}]\n"},
            Unsupported,
            "option spec: found a spec with parameters, wanted one without",
        ),
    ],
)
def test_what_cannot_be_scanned_is_an_error(
    options: dict[str, str], error: type[Exception], words: str
) -> None:
    """Records that cannot be scanned are refused before any file is read."""
    with pytest.raises(error, match=words):
        planned("byteloom.records", path="x", **options)


def test_a_file_that_is_too_large_to_read_whole_is_refused(folder: Path) -> None:
    """A file of exactly ``max_file_size`` bytes is read; one byte more is refused."""
    size = (folder / "a.trk").stat().st_size
    for most in (size, size - 1):
        reader, _ = planned(
            "byteloom.records", path=f"{folder}/a.trk", spec=SPEC, records="rest",
            max_file_size=str(most),
        )  # fmt: skip
        if most == size:
            assert len(rows_of(reader)) == 2
        else:
            with pytest.raises(LimitExceeded, match=rf"a\.trk: found {size} bytes, wanted at most"):
                rows_of(reader)
