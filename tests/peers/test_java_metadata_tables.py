"""Metadata tables equal to those that Java Iceberg makes of tables that it has just written."""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.support.iceberg_plans import metadata_table_kinds
from tests.support.java import JavaError
from tests.support.java_tables import canonical, plain_type

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.java_tables import JavaIceberg, LiveTable

pytestmark = pytest.mark.peer("iceberg")

_OF_FILES: Final = {"files", "data_files", "entries", "all_files", "all_data_files", "all_entries"}
_WITHOUT: Final = {"position_deletes"}
"""Rows of delete files, which the tables here only name."""

_ID_CLASH: Final = "Cannot partition by non-primitive source field"
"""Java numbers the columns of ``readable_metrics`` from the highest partition field that is left,
and fails where one that was dropped had such a number."""


def _column(number: int, name: str, of: Any) -> dict[str, Any]:
    return {"id": number, "name": name, "required": False, "type": of}


def _compare(table: LiveTable) -> set[str]:
    """Compare all metadata tables and the plan; return the kinds for which Java fails."""
    ours, failed = table.open(), set()
    for kind in metadata_table_kinds(ours):
        if kind in _WITHOUT:
            continue
        found = ours.metadata_table(kind)
        try:
            schema, rows = table.rows(kind)
        except JavaError as error:
            if _ID_CLASH not in str(error):
                raise
            failed.add(kind)
            continue
        assert [(each.name, plain_type(each.type)) for each in found.schema] == [
            (each.name, plain_type(each.type)) for each in schema
        ], kind
        assert Counter(canonical(found)) == Counter(rows), kind
    tasks = ours.scan().plan().tasks()
    planned = {each.file_path: sorted(of.file_path for of in each.deletes) for each in tasks}
    assert planned == table.plan()
    return failed


def _file(name: str, spec: int, *partition: Any, **more: Any) -> dict[str, Any]:
    return {
        "path": f"/nowhere/{name}.parquet",
        "spec": spec,
        "partition": partition,
        "records": 10,
        "column_sizes": {1: 50},
        "value_counts": {1: 10, 2: 10},
        "null_value_counts": {2: 0},
        "lower_bounds": {1: struct.pack("<q", 3).hex(), 2: b"a".hex(), 4: b"\3\0\0\0".hex()},
        "upper_bounds": {1: struct.pack("<q", 9).hex(), 2: b"b".hex()},
        **more,
    }


_COLUMNS: Final = [
    _column(1, "id", "long"),
    _column(2, "s", "string"),
    _column(3, "d", "date"),
    _column(4, "i", "int"),
]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_dropped_partition_sources(iceberg: JavaIceberg, tmp_path: Path, version: int) -> None:
    """Metadata tables equal Java's after columns of partition fields were dropped."""
    parts = [(2, "s", "truncate[1]"), (3, "m", "day"), (4, "i", "identity"), (1, "b", "bucket[4]")]
    table = iceberg.create(tmp_path, _COLUMNS, parts, version=version)
    day, later = "1970-01-04", "1970-02-04"
    first = [_file("a", 0, "x", day, 7, 3), _file("b", 0, None, later, -1, 2)]
    table.order("commit", append=[*first, _file("c", 0, "y", day, 7, 3)])
    table.order("respec", remove=["s", "m", "i"])
    void = [None] * 3 if version == 1 else []
    table.order("commit", append=[_file("d", 1, *void, 3)])
    if version > 1:
        deletes = [_file("e", 0, "x", day, 7, 3, equality=[1])]
        table.order("commit", append=[_file("f", 1, 0)], deletes=deletes)
    assert not _compare(table)
    steps: list[list[tuple[str, dict[str, Any]]]] = [
        [("alter", {"drop": ["s"]}), ("alter", {"promote": {"i": "long"}})],
        [("commit", {"remove": ["/nowhere/b.parquet"]})],  # its manifest is rewritten, without s
        [("alter", {"drop": ["i"]}), ("alter", {"drop": ["d"]})],
        [("commit", {"remove": ["/nowhere/a.parquet"]}), ("alter", {"add": {"s": "string"}})],
        [("alter", {"rename": {"id": "key"}}), ("upgrade", {"version": 3})],
        [("respec", {"remove": ["b"]}), ("alter", {"drop": ["key"]})],
    ]
    for changes in steps:
        for name, settings in changes:
            table.order(name, **settings)
        assert not _compare(table), changes


def test_dropped_partition_sources_where_java_fails(iceberg: JavaIceberg, tmp_path: Path) -> None:
    """Where Java fails because the last partition fields lost their columns, ours shows files."""
    parts = [(1, "b", "bucket[4]"), (3, "y", "year"), (4, "h", "bucket[8]"), (2, "s", "identity")]
    table = iceberg.create(tmp_path, _COLUMNS, parts)
    table.order("commit", append=[_file("a", 0, 3, 1, 5, "x"), _file("b", 0, 3, 1, 5, None)])
    table.order("respec", remove=["s", "y", "h"])
    table.order("commit", append=[_file("c", 1, 3)])
    for dropped in ("s", "d", "i"):
        table.order("alter", drop=[dropped])
        assert _compare(table) == _OF_FILES
    files = table.open().metadata_table("files")
    assert files.column("partition").to_pylist() == [{"b": 3}] * 3


def _corner(*numbers: float) -> str:
    return struct.pack(f"<{len(numbers)}d", *numbers).hex()


_NAN: Final = float("nan")
_SHAPES: Final = [
    _column(1, "id", "long"),
    _column(2, "g", "geometry"),
    _column(3, "h", "geography(srid:4326, karney)"),
    _column(4, "inside", {"type": "struct", "fields": [_column(5, "g", "geometry(EPSG:3857)")]}),
]


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ((1, 2), (3, 4)),
        ((1, 2, 3), (4, 5, 6)),
        ((1, 2, 3, 4), (5, 6, 7, 8)),
        ((1, 2, _NAN, 4), (5, 6, _NAN, 8)),
        ((170, 2), (-170, 3)),
        ((1e-7, -0.0), (float("inf"), _NAN)),
    ],
)
def test_geometry_columns(
    iceberg: JavaIceberg, tmp_path: Path, lower: tuple[float, ...], upper: tuple[float, ...]
) -> None:
    """Metadata tables equal Java's where bounds of shapes are points of two to four numbers."""
    table = iceberg.create(tmp_path, _SHAPES, [(1, "id", "identity")], version=3)
    bounds = {
        "lower_bounds": dict.fromkeys([2, 3, 5], _corner(*lower)),
        "upper_bounds": dict.fromkeys([2, 3, 5], _corner(*upper)),
    }
    none: dict[str, Any] = {"lower_bounds": {}, "upper_bounds": {}}
    table.order("commit", append=[_file("a", 0, 1, **bounds), _file("b", 0, None, **none)])
    assert not _compare(table)
    table.order("alter", drop=["g"])
    assert not _compare(table)


def test_bounds_that_are_no_points(iceberg: JavaIceberg, tmp_path: Path) -> None:
    """Malformed bounds of shapes are null and findings, where Java shows no table of files."""
    table = iceberg.create(tmp_path, _SHAPES, version=3)
    table.order("commit", append=[_file("a", 0, lower_bounds={2: "00ff"}, upper_bounds={2: ""})])
    with pytest.raises(JavaError, match="Invalid geo spatial bound buffer size: 2"):
        table.rows("files")
    ours = table.open()
    (row,) = ours.metadata_table("files").to_pylist()
    assert row["lower_bounds"] == [(2, b"\0\xff")]
    assert row["readable_metrics"]["g"]["lower_bound"] is None
    assert row["readable_metrics"]["g"]["upper_bound"] is None
    found = [each for each in ours.verify(files=False) if isinstance(each, FormatError)]
    assert [(each.path.rpartition(".avro.")[2], each.found) for each in found] == [
        ("entries[0].lower_bounds[2]", r"b'\x00\xff'"),
        ("entries[0].upper_bounds[2]", "b''"),
    ]
