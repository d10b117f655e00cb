"""Tables that break a rule without doubt about their rows are read, and reported."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_fixtures import entry_schema
from tests.support.iceberg_manifests import Case, container, entry, manifest
from tests.support.iceberg_rows import File, TableMaker, arrow, deletion_vectors, parquet
from tests.support.iceberg_schemas import a_field, a_struct

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg import col

if TYPE_CHECKING:
    from pathlib import Path

CONTROL = ["\t", "\n", "\r", "\x01", "\x1b", "\x7f", "\0"]
LETTERS = [(1, "id", "long"), (2, "s", "string")]
BY_TEXT = {0: [(2, 1000, "s", "identity", "string")]}


def data(path: Path, text: str, rows: int = 3) -> File:
    """Write a data file of one text."""
    held = {
        (1, "id"): pa.array(range(rows), pa.int64()),
        (2, "s"): pa.array([text] * rows, pa.string()),
    }
    return parquet(path, arrow(held))


@pytest.mark.parametrize("control", CONTROL)
def test_partition_values_may_have_control_characters(tmp_path: Path, control: str) -> None:
    """Partition values with control characters are read, filtered and not reported."""
    text = f"a{control}b"
    files = [data(tmp_path / "a.parquet", text), data(tmp_path / "b.parquet", "c")]
    files = [
        File(each.path, 3, partition={"s": s}) for each, s in zip(files, (text, "c"), strict=True)
    ]
    table = TableMaker(tmp_path, LETTERS, partitions=BY_TEXT).commit(*files).open()
    assert table.scan().to_table()["s"].to_pylist() == [text] * 3 + ["c"] * 3
    assert len(table.scan(col("s") == text).plan()) == 1
    assert table.verify() == []


@pytest.mark.parametrize("control", CONTROL[:-1])
def test_paths_may_have_control_characters(tmp_path: Path, control: str) -> None:
    """Paths with control characters are read, and verification reports one for each manifest."""
    path = tmp_path / f"a{control}b.parquet"
    table = TableMaker(tmp_path, LETTERS).commit(data(path, "x")).open()
    assert table.scan().to_table().num_rows == 3
    (found,) = table.verify()
    assert "entries[0].file_path: found" in str(found)
    assert "wanted a path without control characters" in str(found)
    path.unlink()
    with pytest.raises(ByteloomError) as error:
        table.scan().to_table()
    assert str(error.value).isprintable()


def test_a_path_with_a_null_character_names_no_file(tmp_path: Path) -> None:
    """A path with a null character is read from a manifest unchanged."""
    file = data(tmp_path / "a.parquet", "x")
    made = [entry(0, file_path=f"{file.path}\0", partition={})]
    case = Case.of(made, manifest(made, entry_schema([])))
    (row,) = case.read(specs={0: []})
    assert row["file_path"] == f"{file.path}\0"


FIXED = [(1, "id", "long"), (2, "f", "fixed[3]")]
BY_FIXED = {0: [(2, 1000, "f", "identity", "bytes")]}


def prefixed(folder: Path, values: list[bytes | None], *, size: int = 3) -> Any:
    """Return a table whose manifest has lengths before values of a fixed partition field.

    This is what Java writes: as bytes, under the schema of a fixed.
    """
    files = []
    for number, value in enumerate(values):
        held = {
            (1, "id"): pa.array([number], pa.int64()),
            (2, "f"): pa.array([value], pa.binary(3)),
        }
        made = parquet(folder / f"{number}.parquet", arrow(held))
        files.append(File(made.path, 1, partition={"f": value}))
    maker = TableMaker(folder, FIXED, partitions=BY_FIXED).commit(*files)
    path = folder / "metadata" / "1-m.avro"
    with path.open("rb") as file:
        reader: Any = fastavro.reader(file)
        header, entries = dict(reader.metadata), list(reader)
    written = header.pop("avro.schema")
    of = json.dumps({"type": "fixed", "size": size, "name": "f"})
    text = written.replace('"bytes"]', f"{of}]", 1)
    assert text != written
    header.pop("avro.codec")
    path.write_bytes(
        container([entries], json.loads(written), header={**header, "avro.schema": text})
    )
    relisted(folder, path)
    return maker.open()


def relisted(folder: Path, manifest: Path) -> None:
    """Update the length of a manifest in its list."""
    path = folder / "metadata" / "snap-1.avro"
    with path.open("rb") as file:
        reader: Any = fastavro.reader(file)
        schema, rows = reader.writer_schema, list(reader)
    for each in rows:
        if each["manifest_path"] == str(manifest):
            each["manifest_length"] = manifest.stat().st_size
    with path.open("wb") as out:
        fastavro.writer(out, schema, rows)


def test_fixed_partition_values_may_have_their_length_before_them(tmp_path: Path) -> None:
    """Fixed partition values that Java wrote with lengths are read right and reported."""
    values = [b"abc", None, b"\x06\x06\x06", b"\0\0\0"]
    table = prefixed(tmp_path, values)
    assert table.scan().to_table()["f"].to_pylist() == values
    tasks = list(table.scan().plan())
    assert [each.partition["f"] for each in tasks] == values
    (found,) = table.verify()
    assert "data_file.partition: found fixed values with a length before each" in str(found)


def test_values_of_another_size_than_the_fixed_type_are_refused(tmp_path: Path) -> None:
    """A fixed value with a length before it that is not the size of its type is refused."""
    table = prefixed(tmp_path, [b"abc", b"def"], size=2)
    with pytest.raises(FormatError, match=r"1-m\.avro: records\[0\]"):
        table.scan().plan()


@pytest.mark.parametrize("value", [b"abc", b"\x06bc", b"\x06\x06\x06", None])
def test_fixed_partition_values_are_read_as_avro_says(value: bytes | None) -> None:
    """Fixed partition values without lengths are read, even if one begins like a length."""
    spec = [{"name": "f", "transform": "identity", "source-id": 1, "field-id": 1000}]
    schema = a_struct(a_field(1, "f", "fixed[3]")) | {"schema-id": 0}
    field = {
        "name": "f",
        "type": ["null", {"type": "fixed", "size": 3, "name": "f_3"}],
        "default": None,
        "field-id": 1000,
    }
    made = [entry(each, partition={"f": value}) for each in range(3)]
    notes: list[FormatError] = []
    case = Case.of(made, manifest(made, entry_schema([field])))
    _, tuples = case.entries(specs={0: spec}, schema=schema, note=notes.append).partition(0)
    assert tuples.field(0).to_pylist() == [value] * 3
    assert notes == []


def test_sort_orders_may_be_any_number() -> None:
    """A file may have any number as its sort order id."""
    made = [entry(0, sort_order_id=-3), entry(1, sort_order_id=7)]
    assert [each["sort_order_id"] for each in Case.of(made).read()] == [-3, 7]


class TestUnknownRows:
    """A record count of -1, which imports of old writers have, means unknown."""

    def table(self, folder: Path, *, version: int = 2) -> Any:
        """Return a table of three files, with the rows of the second not counted."""
        files = [data(folder / f"{name}.parquet", name) for name in "abc"]
        files[1] = replace(files[1], records=-1)
        return TableMaker(folder, LETTERS, version=version).commit(*files).open()

    def test_rows_are_read(self, tmp_path: Path) -> None:
        """All rows of files with unknown counts are read and filtered, and nothing is reported."""
        table = self.table(tmp_path)
        assert table.scan().to_table()["s"].to_pylist() == list("aaabbbccc")
        assert table.scan("s = 'b' and id is not null").to_table()["id"].to_pylist() == [0, 1, 2]
        assert table.verify() == []

    def test_tasks_say_so(self, tmp_path: Path) -> None:
        """An unknown record count is None in tasks, and -1 in metadata tables, as in Java's."""
        table = self.table(tmp_path)
        assert [each.record_count for each in table.scan().plan()] == [3, None, 3]
        assert table.metadata_table("files")["record_count"].to_pylist() == [3, -1, 3]

    @pytest.mark.parametrize(("limit", "files"), [(3, 1), (4, 3), (6, 3), (7, 3)])
    def test_no_limit_counts_on_them(self, tmp_path: Path, limit: int, files: int) -> None:
        """A file with an unknown record count does not count towards a limit."""
        table = self.table(tmp_path)
        assert len(table.scan(limit=limit).plan()) == files
        assert table.scan(limit=limit).to_table().num_rows == limit

    def test_row_ids_that_follow_them_are_unknown(self, tmp_path: Path) -> None:
        """Row ids after a file with an unknown record count are unknown."""
        rows = self.table(tmp_path, version=3).scan(columns=["_row_id"]).to_table()
        assert rows["_row_id"].to_pylist() == [0, 1, 2, 3, 4, 5, None, None, None]

    def test_other_negative_counts_are_refused(self) -> None:
        """A negative record count other than -1 is refused."""
        made = [entry(0, record_count=-2)]
        with pytest.raises(FormatError, match=r"entries\[0\]\.record_count: found -2, wanted 0 or"):
            Case.of(made, added_rows_count=-2).read()

    @pytest.mark.parametrize("listed", [-1, 2, 12])
    def test_lists_may_sum_them_in_any_way(self, listed: int) -> None:
        """Rows of a manifest are checked against its list only if all are counted."""
        made = [entry(0, record_count=3), entry(1, record_count=-1)]
        rows = Case.of(made, added_rows_count=listed).read()
        assert [each["record_count"] for each in rows] == [3, None]

    def test_deletes_that_are_not_counted_delete(self, tmp_path: Path) -> None:
        """Delete files and vectors with an unknown record count apply."""
        file = data(tmp_path / "a.parquet", "a", rows=5)
        (vector,) = deletion_vectors(tmp_path / "v.puffin", {file.path: np.array([1, 3])})
        uncounted = replace(vector, records=-1)
        table = TableMaker(tmp_path, LETTERS, version=3).commit(file, uncounted).open()
        assert table.scan(columns=["id"]).to_table()["id"].to_pylist() == [0, 2, 4]
        equality = parquet(tmp_path / "e.parquet", arrow({(1, "id"): pa.array([0, 4], pa.int64())}))
        gone = File(equality.path, -1, content=2, equality_ids=[1])
        table = TableMaker(tmp_path, LETTERS).commit(file).commit(gone).open()
        assert table.scan(columns=["id"]).to_table()["id"].to_pylist() == [1, 2, 3]
