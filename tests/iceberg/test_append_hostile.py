"""Appends to tables, and of rows, that are strange or that another writer damaged."""

from __future__ import annotations

import json
import re
from errno import ENOSPC
from io import BytesIO
from os import strerror
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import pyarrow as pa
import pytest

from byteloom.errors import ArgumentError, CommitConflict, FormatError, StorageError, Unsupported
from byteloom.iceberg import create_table, open_table
from byteloom.iceberg.manifests.writing import with_first_row_ids

if TYPE_CHECKING:
    from byteloom.iceberg import Table

IDS = pa.schema({"id": pa.int64()})


def ids(table: Table) -> list[int]:
    """Return the ids of a table's rows in their order."""
    return sorted(table.scan().to_table()["id"].to_pylist())


def test_an_old_state_appends_after_its_next_version_was_deleted(tmp_path: Path) -> None:
    """A version that is free because it was deleted is not written again: readers skip it."""
    properties = {
        "write.metadata.previous-versions-max": "1",
        "write.metadata.delete-after-commit.enabled": "true",
    }
    first = create_table(tmp_path / "t", IDS, properties=properties)
    table = first
    for each in range(4):
        table = table.append(pa.table({"id": [each]}))
    assert ids(first.append(pa.table({"id": [4]}))) == [0, 1, 2, 3, 4]
    assert ids(open_table(tmp_path / "t")) == [0, 1, 2, 3, 4]
    assert first.set_properties({"a": "b"}).scan().count() == 5
    assert open_table(tmp_path / "t").metadata.properties["a"] == "b"


@pytest.mark.parametrize("name", ["a.b", "a/b", "ü☃", " ", "..", "%20", "1a", "a\nb", "a,b", "a b"])
def test_partition_fields_may_have_names_that_avro_lacks(tmp_path: Path, name: str) -> None:
    """Their values are in the manifests, and filters find the rows by them."""
    given = pa.table({name: [1, None, 3], "id": [1, 2, 3]})
    table = create_table(tmp_path / "t", given.schema, partition_by=[name]).append(given)
    assert table.verify() == []
    found = table.metadata_table("partitions").column("partition").to_pylist()
    assert sorted(each[name] or 0 for each in found) == [0, 1, 3]
    assert ids(table) == [1, 2, 3]


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_names_and_values_of_partitions_may_be_longer_than_names_of_files(
    tmp_path: Path, mode: str
) -> None:
    """Each partition has a folder, whose name says nothing that could be taken for its value."""
    name, longest = "n" * 10_000, "é" * 42 + "x"
    city = [None, longest, longest + "x", "c" * 10_000, "c" * 9_999 + "d"]
    given = pa.table({name: ["v"] * 5, "c": city, "id": [1, 2, 3, 4, 5]})
    properties = {f"write.{each}.mode": mode for each in ("delete", "update")}
    table = create_table(
        tmp_path / "t", given.schema, partition_by=["c", name], properties=properties
    )
    table = table.append(given).append(given).delete("id = 1").update({"id": 20}, "id = 2")
    assert ids(table) == [3, 3, 4, 4, 5, 5, 20, 20]
    assert table.scan(f"c = '{city[3]}'").count() == 2
    assert table.verify() == []
    folders = [each.name for each in (tmp_path / "t" / "data").iterdir()]
    assert len(folders) == 5
    assert sorted(each[:2] for each in folders if "=" in each) == ["c=", "c="]
    assert len(f"c={quote_plus(longest)}") == 255


class Labels(pa.ExtensionType):  # type: ignore[misc]
    """A type of the caller's, whose values are lists."""

    def __init__(self) -> None:
        """Name the type."""
        super().__init__(pa.list_(pa.int64()), "tests.labels")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""


INNER = pa.struct([pa.field("a", pa.int32(), nullable=False)])
KEYS = pa.array([bytes(16), None], pa.uuid())
VIEW = pa.string_view()


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (pa.ExtensionArray.from_storage(Labels(), pa.array([[1], None])), [[1], None]),
        (pa.DictionaryArray.from_arrays(pa.array([1, 0]), KEYS), [None, bytes(16)]),
        (
            pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array(["a", None]).cast(VIEW)),
            [None, "a"],
        ),
        (
            pa.StructArray.from_arrays(
                [pa.StructArray.from_arrays([pa.array([1, None], pa.int32())], fields=list(INNER))],
                fields=[pa.field("b", INNER, nullable=False)],
                mask=pa.array([False, True]),
            ),
            [{"b": {"a": 1}}, None],
        ),
    ],
    ids=[
        "extension of lists",
        "dictionary of UUIDs",
        "dictionary of views, as polars has categories",
        "null above a required field",
    ],
)
def test_columns_come_in_layouts_of_arrow(tmp_path: Path, given: pa.Array, found: Any) -> None:
    """What the schema of a table is made of is what it takes."""
    rows = pa.table({"c": given})
    table = create_table(tmp_path / "t", rows.schema).append(rows)
    assert table.scan().to_table()["c"].to_pylist() == found
    assert table.verify() == []


TWICE = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])


@pytest.mark.parametrize(
    ("schema", "rows", "found"),
    [
        ({"a": pa.null()}, {"a": pa.nulls(3)}, "schema: found no column that has values"),
        ({"s": pa.struct([])}, {"s": [{}]}, "column s: found no field that has values"),
        (
            {"s": pa.struct({"n": pa.null()})},
            {"s": [{"n": None}]},
            "column s: found no field that has values",
        ),
        ({"b": pa.binary(0)}, {"b": [b""]}, "column b: found type fixed[0]"),
        ({"s": pa.struct({"x": pa.int64()})}, {"s": TWICE}, "column s.x: found two fields"),
    ],
)
def test_what_files_cannot_store_is_refused(
    tmp_path: Path, schema: dict[str, pa.DataType], rows: dict[str, Any], found: str
) -> None:
    """The error names the column, and there is no file."""
    table = create_table(tmp_path / "t", pa.schema(schema), format_version=3)
    with pytest.raises(FormatError) as caught:
        table.append(pa.table(rows))
    assert str(caught.value).startswith(found)
    assert not (tmp_path / "t" / "data").exists()


@pytest.mark.parametrize("total", ["many", "", "1.5", "-3", "9" * 5000])
def test_a_total_that_is_no_number_is_left_out(tmp_path: Path, total: str) -> None:
    """As one that is missing: no total follows from it."""
    table = create_table(tmp_path / "t", IDS).append(pa.table({"id": [1]}))
    place = Path(table.metadata_location)
    document = json.loads(place.read_text())
    document["snapshots"][0]["summary"]["total-records"] = total
    place.write_text(json.dumps(document))
    table = open_table(tmp_path / "t").append(pa.table({"id": [2]}))
    assert table.current_snapshot is not None
    assert "total-records" not in table.current_snapshot.summary
    assert table.current_snapshot.summary["total-data-files"] == "2"
    assert ids(table) == [1, 2]


def test_a_url_with_one_slash_is_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Java spells local URLs so; and a table without a place is not put into this folder."""
    monkeypatch.chdir(tmp_path)
    table = create_table(f"file:{tmp_path}/t", IDS).append(pa.table({"id": [1]}))
    assert table.verify() == []
    assert ids(open_table(tmp_path / "t")) == [1]
    for each in ("", "/", "a\nb", "a\x00b", "a\x7f"):
        with pytest.raises(ArgumentError, match="place: found"):
            create_table(each, IDS)
    assert [each.name for each in tmp_path.iterdir()] == ["t"]


class FullFile(BytesIO):
    """A file on a full disk."""

    def write(self, _: Any) -> int:
        """Fail."""
        raise OSError(ENOSPC, strerror(ENOSPC))


def test_rows_that_wait_fail_as_files_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk for temporary files is a `StorageError`, and no data file stays."""
    full = FullFile()
    late = SimpleNamespace(TemporaryFile=lambda **_: full)
    monkeypatch.setattr("byteloom.iceberg.writing.data_files.tempfile", late)
    columns = pa.schema({"id": pa.int64(), "part": pa.int64()})
    table = create_table(tmp_path / "t", columns, partition_by=["part"])
    rows = pa.table({"id": range(150), "part": range(150)})
    with pytest.raises(StorageError, match="a temporary file: "):
        table.append(rows)
    assert not list((tmp_path / "t").rglob("*.parquet"))
    assert full.closed


def test_rows_of_an_encrypted_table_are_not_written_plainly(tmp_path: Path) -> None:
    """A table with keys gets no file that everybody can read, whatever its properties say."""
    table = create_table(tmp_path / "t", IDS, format_version=3)
    place = Path(table.metadata_location)
    keys = [{"key-id": "a", "encrypted-key-metadata": "aGVsbG8="}]
    place.write_text(json.dumps(json.loads(place.read_text()) | {"encryption-keys": keys}))
    with pytest.raises(Unsupported, match="files are not encrypted"):
        open_table(tmp_path / "t").append(pa.table({"id": [1]}))
    assert not (tmp_path / "t" / "data").exists()


def test_an_interrupt_after_the_commit_keeps_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metadata file is there before the version hint, and then names the new files."""
    table = create_table(tmp_path / "t", IDS).append(pa.table({"id": [1]}))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("byteloom.iceberg.commits.folder_catalog._write_hint", interrupted)
        with pytest.raises(KeyboardInterrupt):
            table.append(pa.table({"id": [2]}))
    table = open_table(tmp_path / "t")
    assert ids(table) == [1, 2]
    assert table.verify() == []


def test_lists_of_lost_attempts_are_removed(tmp_path: Path) -> None:
    """A writer that was second leaves only what its snapshot has."""
    first = create_table(tmp_path / "t", IDS)
    first.append(pa.table({"id": [1]}))
    table = first.append(pa.table({"id": [2]}))
    lists = {Path(each.manifest_list or "") for each in table.snapshots}
    assert set((tmp_path / "t" / "metadata").glob("snap-*.avro")) == lists
    assert len(list((tmp_path / "t" / "metadata").glob("*-m0.avro"))) == 2


def test_rows_do_not_go_to_another_table_in_the_same_place(tmp_path: Path) -> None:
    """A writer of a table that was dropped and created again gets an error."""
    old = create_table(tmp_path / "t", IDS)
    rmtree(tmp_path / "t")
    other = create_table(tmp_path / "t", pa.schema({"id": pa.int64(), "name": pa.string()}))
    other.append(pa.table({"id": [1]}))
    with pytest.raises(CommitConflict, match="the table is another one"):
        old.append(pa.table({"id": [2]}))
    assert ids(open_table(tmp_path / "t")) == [1]
    assert len(list((tmp_path / "t" / "data").iterdir())) == 1


def test_a_table_of_the_same_version_in_the_same_place_is_another_one(tmp_path: Path) -> None:
    """The version is free, and yet the rows do not go there."""
    old = create_table(tmp_path / "t", IDS)
    rmtree(tmp_path / "t")
    create_table(tmp_path / "t", IDS)
    with pytest.raises(CommitConflict, match="the table is another one"):
        old.append(pa.table({"id": [2]}))
    assert ids(open_table(tmp_path / "t")) == []


def test_writers_that_change_the_codec_at_once_create_one_file(tmp_path: Path) -> None:
    """Only one has made its commit: the other meets it, and comes after it."""
    first = create_table(tmp_path / "t", IDS)
    changed = first.set_properties({"write.metadata.compression-codec": "gzip"})
    assert changed.metadata_location.endswith("/v2.metadata.json")
    assert first.append(pa.table({"id": [1]})).metadata_location.endswith("/v3.gz.metadata.json")
    plain = open_table(tmp_path / "t").set_properties({"write.metadata.compression-codec": "none"})
    assert plain.metadata_location.endswith("/v4.gz.metadata.json")
    table = plain.append(pa.table({"id": [2]}))
    assert table.metadata_location.endswith("/v5.metadata.json")
    assert ids(open_table(tmp_path / "t")) == [1, 2]
    assert table.verify() == []


@pytest.mark.parametrize(
    ("folder", "wanted"), [("elsewhere", "an absol"), ("/a\nb", "a path without control char")]
)
def test_data_in_an_odd_folder_is_refused(tmp_path: Path, folder: str, wanted: str) -> None:
    """Nobody would find files of a relative path from elsewhere; `verify` reports control codes."""
    table = create_table(tmp_path / "t", IDS, properties={"write.data.path": folder})
    found = re.escape(f"write.data.path: found {folder!r}, wanted {wanted}")
    with pytest.raises(FormatError, match=found):
        table.append(pa.table({"id": [1]}))


def test_manifests_without_counts_give_no_row_ids() -> None:
    """Lists of version 1 may lack the counts that rows are numbered by."""
    with pytest.raises(FormatError, match=r"manifests\[1\].existing_rows_count: found nothing"):
        with_first_row_ids(
            [
                {"added_rows_count": 2, "existing_rows_count": 0},
                {"added_rows_count": 1, "existing_rows_count": None},
            ],
            0,
        )
