"""Invalid UTF-8 in texts and bounds of manifests is reported, and damages no other value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from tests.support.iceberg_rows import File, TableMaker, arrow, parquet

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

_INVALID: Final = b"a\xff"


def _file(root: Path, number: int, **changes: Any) -> File:
    columns = {(1, "id"): pa.array([number]), (2, "s"): pa.array([f"row {number}"])}
    return replace(parquet(root / "data" / f"{number}.parquet", arrow(columns)), **changes)


def _table(root: Path, *files: File) -> Table:
    maker = TableMaker(root, [(1, "id", "long"), (2, "s", "string")])
    for each in files:
        maker.commit(each)
    return maker.open()


def _with_invalid_path(root: Path) -> tuple[Table, Path]:
    """Return a table of three manifests, and the second, whose one path has an invalid byte."""
    table = _table(root, *(_file(root, each) for each in range(3)))
    place = root / "metadata" / "2-m.avro"
    data = place.read_bytes()
    assert data.count(b"data/1.parquet") == 1
    place.write_bytes(data.replace(b"data/1.parquet", b"data/\xff.parquet"))
    return table, place


def test_an_invalid_path_is_an_error_that_names_the_manifest(tmp_path: Path) -> None:
    """An invalid path is an error with its manifest, even if several are read together."""
    table, place = _with_invalid_path(tmp_path)
    message = f"^{place}: file_path: found bytes that are not UTF-8, wanted text$"
    with pytest.raises(FormatError, match=message):
        table.scan().plan()
    with pytest.raises(FormatError, match=message):
        table.metadata_table("files")
    with pytest.raises(FormatError, match=message):
        table.metadata_table("all_entries")


def test_an_invalid_path_is_a_finding(tmp_path: Path) -> None:
    """Verification reports an invalid path and goes on with the other manifests."""
    table, place = _with_invalid_path(tmp_path)
    (tmp_path / "data" / "2.parquet").unlink()
    first, second = table.verify()
    assert str(first) == f"{place}: file_path: found bytes that are not UTF-8, wanted text"
    assert "2.parquet" in str(second)


@pytest.fixture
def bounded(tmp_path: Path) -> Table:
    """Return a table whose first file has invalid bounds, and whose second has valid ones."""
    invalid = _file(tmp_path, 0, bounds={2: _INVALID})
    return _table(tmp_path, invalid, _file(tmp_path, 1, bounds={2: b"row 1"}))


def test_invalid_bounds_are_null_where_they_are_shown(bounded: Table) -> None:
    """Invalid bounds are shown as null, and the map by column keeps their bytes."""
    files = bounded.metadata_table("files").sort_by("file_path").to_pylist()
    shown = [each["readable_metrics"]["s"] for each in files]
    assert [each["lower_bound"] for each in shown] == [None, "row 1"]
    assert [each["upper_bound"] for each in shown] == [None, "row 1"]
    assert files[0]["lower_bounds"] == [(2, _INVALID)]


def test_nothing_follows_from_invalid_bounds_of_a_function(bounded: Table) -> None:
    """Invalid bounds do not prune a file by a filter on the first characters."""
    rows = bounded.scan("truncate(3, s) = 'row'").to_table()
    assert sorted(rows.column("s").to_pylist()) == ["row 0", "row 1"]


def test_invalid_bounds_are_findings(bounded: Table) -> None:
    """Verification reports invalid bounds once for each side of a column."""
    lower, upper = bounded.verify()
    place = f"{bounded.metadata_table('manifests').column('path')[0]}: entries[0]"
    wanted = "found b'a\\xff', wanted UTF-8 text; PyIceberg and DuckDB cannot filter by it"
    assert str(lower) == f"{place}.lower_bounds[2]: {wanted}"
    assert str(upper) == f"{place}.upper_bounds[2]: {wanted}"


def test_an_invalid_partition_value_is_an_error_that_names_the_manifest(tmp_path: Path) -> None:
    """An invalid partition value is an error with its manifest and field."""
    columns = [(1, "id", "long"), (2, "s", "string")]
    parts = {0: [(2, 1000, "s", "identity", "string")]}
    maker = TableMaker(tmp_path, columns, partitions=parts)
    maker.commit(_file(tmp_path, 0, partition={"s": "north"}))
    table = maker.open()
    place = tmp_path / "metadata" / "1-m.avro"
    place.write_bytes(place.read_bytes().replace(b"north", b"nor\xffh"))
    message = f"^{place}: partition.s.value: found bytes that are not UTF-8, wanted text$"
    with pytest.raises(FormatError, match=message):
        table.scan().plan()
