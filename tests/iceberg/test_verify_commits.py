"""What a snapshot did to files is checked against its parent and against its operation."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.iceberg_edits import found_in, found_in_list
from tests.support.iceberg_rows import TableMaker, arrow, deletion_vectors, parquet
from tests.support.iceberg_writer import FolderCatalog

from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from collections.abc import Callable

_THREE, _NINE = (struct.pack("<q", each) for each in (3, 9))
ROWS = pa.table({"x": pa.array([1, 1, 2], pa.int64()), "y": pa.array([3, 4, 5], pa.int64())})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a table partitioned by ``x``: two appends, then partition 1 was deleted."""
    table = FolderCatalog(tmp_path_factory.mktemp("made")).create("t", ROWS.schema)
    with table.update_spec() as spec:
        spec.add_identity("x")
    table.append(ROWS)
    table.append(ROWS)
    table.delete("x = 1")
    return table


@pytest.fixture(scope="module")
def document(made: Any) -> dict[str, Any]:
    """Return the metadata of the table; its newest list has deleted, then existing entries."""
    return dict(json.loads(Path(made.metadata_location).read_bytes()))


def test_sound_commits_have_no_findings(made: Any) -> None:
    """The appends and the delete of another writer are sound."""
    assert open_table(made.metadata_location).verify() == []


def _entry(**changes: Any) -> Callable[[Any], None]:
    """Return a function that changes the first entry of a manifest."""
    return lambda rows: rows[1][0].update(changes)


def _file(**changes: Any) -> Callable[[Any], None]:
    """Return a function that changes the file of the first entry of a manifest."""
    return lambda rows: rows[1][0]["data_file"].update(changes)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_entry(snapshot_id=4242), "entries[0].snapshot_id: found 4242, wanted"),
        (_entry(sequence_number=1), "entries[0].sequence_number: found 1, wanted 2, as before"),
        (_file(file_path="/x.parquet"), "file_path: found /x.parquet, wanted a file that was live"),
        (_file(file_format="ORC"), "entries[0].file_format: found orc, wanted parquet, as before"),
        (_file(file_size_in_bytes=7), "entries[0].file_size_in_bytes: found 7, wanted "),
        (_file(partition={"x": 2}), "entries[0].partition: found another partition, wanted that"),
    ],
)
def test_a_deleted_entry_repeats_what_was_live(
    document: dict[str, Any], tmp_path: Path, change: Callable[[Any], None], says: str
) -> None:
    """A deleted entry that names another snapshot, or differs from the parent's, is reported."""
    found = found_in_list(document, tmp_path, change)
    assert sum(says in each for each in found) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_entry(snapshot_id=4242), "entries[0].snapshot_id: found 4242, wanted"),
        (_entry(sequence_number=1), "entries[0].sequence_number: found 1, wanted 2, as before"),
        (_entry(file_sequence_number=None), "file_sequence_number: found nothing, wanted 2, as"),
        (_file(file_path="/x.parquet"), "file_path: found /x.parquet, wanted a file that was live"),
    ],
)
def test_an_existing_entry_repeats_what_was_live(
    document: dict[str, Any], tmp_path: Path, change: Callable[[Any], None], says: str
) -> None:
    """An existing entry whose file or numbers differ from those of the parent is reported."""
    found = found_in_list(document, tmp_path, change, number=1)
    assert sum(says in each for each in found) == 1


def test_a_file_that_a_snapshot_lost_is_reported(document: dict[str, Any], tmp_path: Path) -> None:
    """A file of the parent that is neither live nor deleted in a snapshot is reported."""
    found = found_in_list(document, tmp_path, lambda rows: rows[0].pop(1))
    (lost,) = (each for each in found if "found no entry" in each)
    assert "live or deleted: it is live in the parent snapshot" in lost


@pytest.mark.parametrize(
    ("number", "operation", "says"),
    [
        (2, "append", "removed 2 data files"),
        (2, "overwrite", None),
        (2, "replace", "removed 4 rows, 0 of them deleted before, and added 0"),
        (1, "delete", "added 2 data files"),
        (1, "replace", "added 2 files, and removed none"),
        (1, "overwrite", None),
    ],
)
def test_an_operation_says_what_the_snapshot_did(
    document: dict[str, Any], number: int, operation: str, says: str | None
) -> None:
    """An operation that does not do what its snapshot did is reported, once."""

    def change(new: Any) -> None:
        new["snapshots"][number]["summary"]["operation"] = operation

    found = found_in(document, change, files=False)
    assert len(found) == (says is not None)
    assert (says or "") in "".join(found)


@pytest.mark.parametrize(
    ("positions", "is_found"), [([0, 2], False), ([0, 1, 2], True), ([0], True)]
)
def test_a_replacement_deletes_the_rows_that_were_deleted(
    tmp_path: Path, positions: list[int], *, is_found: bool
) -> None:
    """A replacement whose deletion vector has more or fewer rows than that before is reported."""
    data = parquet(tmp_path / "a.parquet", arrow({(1, "x"): pa.array(range(5), pa.int32())}))
    (old,) = deletion_vectors(tmp_path / "o.puffin", {data.path: [0, 2]})
    (new,) = deletion_vectors(tmp_path / "n.puffin", {data.path: positions})
    maker = TableMaker(tmp_path, [(1, "x", "int")], version=3).commit(data)
    maker = maker.commit(old, operation="delete")
    table = maker.commit(new, removed=[old], operation="replace").open()
    said = f"put delete files of {len(positions)} rows in place of those of 2"
    assert [said in str(each) for each in table.verify()] == [True] * is_found


@pytest.mark.parametrize("value", ["7", "xyz"])
@pytest.mark.parametrize(
    ("number", "name", "right"),
    [
        (2, "total-data-files", "2, as its manifests have in total"),
        (2, "total-records", "2, as its manifests have in total"),
        (2, "deleted-data-files", "2, as its manifests have of this snapshot"),
        (2, "deleted-records", "4, as its manifests have of this snapshot"),
        (2, "removed-dvs", "0, as its manifests have of this snapshot"),
        (1, "added-data-files", "2, as its manifests have of this snapshot"),
        (1, "added-records", "3, as its manifests have of this snapshot"),
        (1, "added-position-deletes", "0, as its manifests have of this snapshot"),
    ],
)
def test_a_summary_counts_the_files_of_its_snapshot(
    document: dict[str, Any], number: int, name: str, right: str, value: str
) -> None:
    """A number of a summary that is not that of its snapshot's files is reported, once."""

    def change(new: Any) -> None:
        new["snapshots"][number]["summary"][name] = value

    (found,) = found_in(document, change, files=False)
    assert found.endswith(f".summary.{name}: found {value!r}, wanted {right}")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"file_size_in_bytes": 7}, " bytes, wanted 7 bytes, as its manifest says"),
        ({"record_count": 7}, "record_count: found 1 rows, wanted 7, as its manifest says"),
        ({"file_format": "ORC"}, "found a Parquet file, wanted an ORC file"),
    ],
)
def test_each_entry_of_a_file_is_compared_with_it(
    document: dict[str, Any], tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    """A wrong entry of the newest manifest is reported though older ones are right."""
    found = found_in_list(document, tmp_path, _file(**changes), number=1, files=True)
    assert sum(says in each for each in found) == 1


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        ({}, None),
        ({"bounds": {1: _THREE}, "nulls": {1: 0}}, None),
        ({"bounds": {1: _NINE}}, "moved the lower_bound of x from 3 to 9"),
        ({"nulls": {1: 1}}, "removed 0 and added 1 null values of column 1"),
        ({"nulls": {2_147_483_539: 2}}, "changed 2 rows, as _last_updated_sequence_number of"),
    ],
)
def test_a_replacement_has_the_values_that_it_removed(
    tmp_path: Path, stated: dict[str, Any], says: str | None
) -> None:
    """A replacement whose files have other nulls or numbers than those it removed is reported."""
    rows = arrow({(1, "x"): pa.array([3, 3], pa.int64())})
    old = replace(parquet(tmp_path / "o.parquet", rows), bounds={1: _THREE}, nulls={1: 0})
    new = replace(parquet(tmp_path / "n.parquet", rows), **stated)
    maker = TableMaker(tmp_path, [(1, "x", "long")])
    table = maker.commit(old).commit(new, removed=[old], operation="replace").open()
    found = list(map(str, table.verify(files=False)))
    assert len(found) == (says is not None)
    assert (says or "") in "".join(found)
