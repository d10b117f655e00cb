"""Statistics and partitions in manifests are compared with the rows of their files."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.iceberg_edits import changed_list, found_in_list
from tests.support.iceberg_filters import LEAVES, POOLS, SCHEMA, bound_bytes, expressions, matches
from tests.support.iceberg_rows import TableMaker, arrow, parquet
from tests.support.iceberg_writer import FolderCatalog
from tests.support.pyiceberg_tables import COLUMNS, SPECS, written

from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = pa.table(
    {
        "id": pa.array(range(100), pa.int64()),
        "note": pa.array(["x", None] * 50),
        "part": pa.array(["a"] * 100),
        "real": pa.array([math.nan, -0.0, 0.0, 2.5] * 25),
        "in": pa.array([{"x": 1}, None, {"x": None}, {"x": 4}] * 25, pa.struct({"x": pa.int64()})),
    }
)
ID, NOTE, PART, REAL, IN_X = 1, 2, 3, 4, 6


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the metadata of another writer's table of one file, partitioned by ``part``."""
    made = FolderCatalog(tmp_path_factory.mktemp("made")).create("t", ROWS.schema)
    with made.update_spec() as spec:
        spec.add_identity("part")
    made.append(ROWS)
    return dict(json.loads(Path(made.metadata_location).read_bytes()))


def _put(name: str, column: int, value: Any) -> Callable[[Any], None]:
    """Return a function that changes a statistic of the first entry, or adds it."""

    def change(rows: Any) -> None:
        file = rows[1][0]["data_file"]
        kept = [each for each in file[name] or () if each["key"] != column]
        file[name] = [*kept, {"key": column, "value": value}]

    return change


def _partition(value: str | None) -> Callable[[Any], None]:
    """Return a function that changes the partition of the first entry, and its summary."""

    def change(rows: Any) -> None:
        rows[1][0]["data_file"]["partition"]["part"] = value
        bound = None if value is None else value.encode()
        summary = {"contains_null": value is None, "lower_bound": bound, "upper_bound": bound}
        rows[0][0]["partitions"][0].update(summary)

    return change


def _long(value: int) -> bytes:
    return struct.pack("<q", value)


def _double(value: float) -> bytes:
    return struct.pack("<d", value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_put("upper_bounds", ID, _long(50)), "upper_bounds[1]: found 50, wanted at least 99"),
        (_put("lower_bounds", ID, _long(1)), "lower_bounds[1]: found 1, wanted at most 0"),
        (_put("lower_bounds", NOTE, b"y"), "lower_bounds[2]: found y, wanted at most x"),
        (
            _put("upper_bounds", NOTE, b""),
            "upper_bounds[2]: found no characters, wanted at least x",
        ),
        (_put("upper_bounds", REAL, _double(2)), "found 2.0, wanted at least 2.5"),
        (_put("lower_bounds", IN_X, _long(2)), "found 2, wanted at most 1, since filters lose"),
        (_put("null_value_counts", NOTE, 0), "null_value_counts[2]: found 0, wanted 50"),
        (_put("null_value_counts", NOTE, 100), "null_value_counts[2]: found 100, wanted 50"),
        (_put("value_counts", NOTE, 50), "value_counts[2]: found 50, wanted 100"),
        (_put("nan_value_counts", REAL, 100), "nan_value_counts[4]: found 100, wanted 25"),
        (_put("nan_value_counts", REAL, 0), "nan_value_counts[4]: found 0, wanted 25"),
        (_put("null_value_counts", IN_X, 24), "null_value_counts[6]: found 24, wanted 25 to 50"),
        (_partition("z"), "partition.part: found z, wanted a, since the file has such rows"),
        (_partition(None), "partition.part: found null, wanted a, since the file has such rows"),
    ],
)
def test_each_wrong_statistic_is_reported(
    document: dict[str, Any], tmp_path: Path, change: Callable[[Any], None], says: str
) -> None:
    """What would make readers skip a file whose rows match is one finding with its place."""
    table = changed_list(document, tmp_path, change)
    (found,) = map(str, table.verify())
    assert says in found
    assert "manifest.avro: entries[0]." in found
    assert ".parquet)" in found


@pytest.mark.parametrize(
    "change",
    [
        _put("upper_bounds", ID, _long(50)),
        _put("lower_bounds", NOTE, b"y"),
        _put("null_value_counts", NOTE, 0),
        _put("value_counts", NOTE, 50),
        _partition("z"),
    ],
)
def test_without_rows_the_footer_shows_what_is_wrong(
    document: dict[str, Any], tmp_path: Path, change: Callable[[Any], None]
) -> None:
    """Where no row is read, statistics are compared with those in the file itself."""
    table = changed_list(document, tmp_path, change)
    assert list(map(str, table.verify(rows=False))) == list(map(str, table.verify()))


@pytest.mark.parametrize("rows", [False, True])
def test_bounds_of_text_that_a_file_stores_as_plain_bytes_are_compared(
    tmp_path: Path, *, rows: bool
) -> None:
    """A column of text whose file does not say that it is text is compared in the same way."""
    maker = TableMaker(tmp_path, [(1, "note", "string")])
    file = parquet(tmp_path / "rows.parquet", arrow({(1, "note"): pa.array([b"x"])}))
    (found,) = maker.commit(replace(file, bounds={1: b"y"})).open().verify(rows=rows)
    assert "lower_bounds[1]: found y, wanted at most x" in str(found)


@pytest.mark.parametrize(
    "change",
    [
        _put("upper_bounds", ID, _long(2**62)),
        _put("lower_bounds", ID, _long(-5)),
        _put("lower_bounds", NOTE, b""),
        _put("upper_bounds", NOTE, b"y"),
        _put("upper_bounds", REAL, _double(math.inf)),
        _put("lower_bounds", REAL, _double(0.0)),
        _put("upper_bounds", REAL, _double(math.nan)),
        _put("value_counts", IN_X, 75),
        _put("null_value_counts", IN_X, 25),
        _put("null_value_counts", IN_X, 50),
        lambda rows: rows[1][0]["data_file"].update(lower_bounds=None, value_counts=None),
    ],
)
def test_bounds_that_are_not_tight_are_sound(
    document: dict[str, Any], tmp_path: Path, change: Callable[[Any], None]
) -> None:
    """Bounds beyond the values, either way to count values of null parents, and none are sound."""
    assert found_in_list(document, tmp_path, change, files=True) == []


@pytest.mark.parametrize(
    ("of", "moment", "transform", "right"),
    [
        ("date", date(1969, 12, 31), "day", "1969-12-31"),
        ("date", date(1969, 12, 31), "month", "1969-12"),
        ("timestamp", datetime(1969, 12, 15, 3), "year", "1969"),  # noqa: DTZ001  in no zone
        ("timestamp", datetime(1969, 12, 31, 23, 30), "hour", "1969-12-31-23"),  # noqa: DTZ001
    ],
)
@pytest.mark.parametrize("stated", [-1, 0])
def test_a_partition_before_1970_that_is_one_too_high_is_reported(
    tmp_path: Path, of: str, moment: date, transform: str, right: str, *, stated: int
) -> None:
    """Rounding towards 1970, as old Java did, is a finding: other readers skip such files."""
    avro = {"type": "int", "logicalType": "date"} if transform == "day" else "int"
    specs = {0: [(1, 1000, "p", transform, avro)]}
    maker = TableMaker(tmp_path, [(1, "x", of)], partitions=specs)
    kind = pa.date32() if of == "date" else pa.timestamp("us")
    file = parquet(tmp_path / "rows.parquet", arrow({(1, "x"): pa.array([moment], kind)}))
    table = maker.commit(replace(file, partition={"p": stated})).open()
    found = [str(each) for each in table.verify()]
    wanted = f"wanted {right}, since the file has such rows ({transform} of x)"
    assert [wanted in each for each in found] == [True] * (stated + 1)


@dataclass(frozen=True)
class _Made:
    """The metadata of a table, and its rows."""

    document: dict[str, Any]
    rows: list[dict[str, Any]]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[_Made]:
    """Return tables of all types, without partitions and with some."""
    found = []
    for name in ("unpartitioned", "identity of numbers", "truncate", "month, day, hour"):
        made = written(tmp_path_factory.mktemp("made"), name, version=2)
        document = dict(json.loads(Path(made.table.metadata_location).read_bytes()))
        found.append(_Made(document, made.rows))
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_statistics_of_every_type_and_transform_are_sound(tmp_path: Path, spec: str) -> None:
    """What another writer states about values of all types, and all transforms, is right."""
    made = written(tmp_path, spec, version=2)
    table = open_table(made.table.metadata_location)
    assert table.verify() == []
    assert table.verify(rows=False) == []


@examples(0.5)
@given(data=st.data())
def test_a_wrong_statistic_is_reported_or_loses_no_row(
    tables: list[_Made], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """After any statistic was changed, filters find all rows, or the change is reported."""
    made = data.draw(st.sampled_from(tables))
    name = data.draw(st.sampled_from([each for each in LEAVES if each.split(".")[0] in COLUMNS]))
    field = SCHEMA.find(name)
    assert field is not None
    count: st.SearchStrategy[Any] = st.integers(-1, 9)
    bound = st.sampled_from(POOLS[field.type.kind]).map(lambda each: bound_bytes(field.type, each))

    kinds = {"value_counts": count, "null_value_counts": count, "nan_value_counts": count}
    kinds |= {"lower_bounds": bound, "upper_bounds": bound}
    if field.type.kind not in {"float", "double"}:
        del kinds["nan_value_counts"]
    statistic = data.draw(st.sampled_from(sorted(kinds)))
    change = _put(statistic, field.id, data.draw(kinds[statistic]))
    table = changed_list(made.document, tmp_path_factory.mktemp("changed"), change)
    asked = data.draw(st.lists(expressions(with_functions=False, names=(name,)), min_size=5))
    counts = [(each, sum(matches(each, row) for row in made.rows)) for each in asked]
    if any(table.scan(each).count() != right for each, right in counts):
        assert table.verify()
