"""Metadata tables beside pyiceberg's ``inspect``, and bounds of columns beside its decoding.

`OURS` and `THEIRS` are the columns that only one of the two has; all others are equal to the
last value, but for what `as_theirs` says of pyiceberg 0.12.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pyiceberg.conversions import from_bytes
from pyiceberg.table import StaticTable
from tests.support.iceberg_drawn import Commit, EqualityDelete, write
from tests.support.iceberg_readers import named
from tests.support.pyiceberg_tables import COLUMNS, SPECS, written

from byteloom.iceberg import Table, open_table
from byteloom.iceberg.values import from_binary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyiceberg.manifest import DataFile
    from pyiceberg.table import Table as PyIcebergTable

KINDS = (
    "snapshots",
    "history",
    "refs",
    "metadata_log_entries",
    "manifests",
    "partitions",
    "files",
    "data_files",
    "delete_files",
    "entries",
    "all_manifests",
    "all_files",
    "all_data_files",
    "all_delete_files",
)
OURS = {"first_row_id", "referenced_data_file", "content_offset", "content_size_in_bytes"}
"""Of files: what version 3 has; pyiceberg reads manifests of version 2."""

INSPECTED = tuple(each for each in COLUMNS if each not in {"uuid", "point"})
"""Columns of which pyiceberg makes metrics to read: not of UUIDs, and of structs empty ones."""

READ = tuple(each for each in SPECS if each not in {"bucket of UUIDs", "identity of doubles"})
"""Specs whose partitions pyiceberg reads: it rounds doubles in them to floats."""

TABLES = [
    *(pytest.param((1, each), id=f"{named('pyiceberg')}-v1-{each}") for each in READ),
    pytest.param((2, *READ), id=f"{named('pyiceberg')}-v2-all"),
]
DELETED = [
    Commit(((1, "a", 0), (2, "b", 0)), 1, 0),
    Commit(((3, None, 1), (None, "c", 1)), 1, 1, positions={0: [1], 1: [0]}),
    Commit(((4, "d", None),), 0, None, equality=(EqualityDelete(("x", "s"), ((1, "a"),), 1, 0),)),
    Commit(((5, "e", 1),), 1, 1, equality=(EqualityDelete(("x",), ((None,),), 0, None),)),
]
"""Position and equality deletes, of partitions and of all; pyiceberg writes none."""


@pytest.fixture(scope="module", params=TABLES)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Table, PyIcebergTable]:
    """A table with deleted rows, a tag and a branch, as both see it."""
    version, *specs = request.param
    root = tmp_path_factory.mktemp("pyiceberg")
    made = written(root, *specs, version=version, columns=INSPECTED)
    table = made.table
    table.delete(f"id = {made.rows[0]['id']}")
    with table.manage_snapshots() as change:
        change.create_tag(table.snapshots()[0].snapshot_id, "first")
        change.create_branch(table.snapshots()[-1].snapshot_id, "side")
    return open_table(table.metadata_location), table


@pytest.mark.parametrize("kind", KINDS)
def test_metadata_tables_are_those_of_pyiceberg(
    both: tuple[Table, PyIcebergTable], kind: str
) -> None:
    """Each kind of metadata table has pyiceberg's rows and values."""
    agree(*both, kind)


@pytest.mark.parametrize("version", [2, 3], ids=lambda each: f"{named('pyiceberg')}-v{each}")
@pytest.mark.parametrize("kind", [each for each in KINDS if each != "entries"])
def test_deletes_are_counted_and_listed_as_by_pyiceberg(
    tmp_path: Path, kind: str, version: int
) -> None:
    """Metadata tables of a table with deletes have pyiceberg's rows, except entries.

    There pyiceberg fails on files without statistics.
    """
    place = write(DELETED, tmp_path, version=version)
    agree(open_table(place), StaticTable.from_metadata(place), kind)


def agree(ours: Table, theirs: PyIcebergTable, kind: str) -> None:
    """Compare a metadata table with pyiceberg's."""
    found = [as_theirs(each) for each in ours.metadata_table(kind).to_pylist()]
    wanted = [plain(each) for each in getattr(theirs.inspect, kind)().to_pylist()]
    assert sorted(found, key=repr) == sorted(wanted, key=repr)


def test_bounds_are_decoded_as_by_pyiceberg(both: tuple[Table, PyIcebergTable]) -> None:
    """Lower and upper bounds of every column of every file equal pyiceberg's."""
    ours, theirs = both
    held = {each["file_path"]: each for each in ours.metadata_table("all_files").to_pylist()}
    compared = 0
    for file in files_of(theirs):
        for side in ("lower_bounds", "upper_bounds"):
            own, other = dict(held[file.file_path][side]), getattr(file, side)
            assert own.keys() == other.keys()
            for key, value in own.items():
                of: Any = theirs.schema().find_type(key)
                found = from_binary(ours.schema.field_by_id[key].type, value)
                assert as_number(found) == as_number(from_bytes(of, other[key]))
                compared += 1
    assert compared > len(held)


def files_of(table: PyIcebergTable) -> Iterator[DataFile]:
    """Yield the files of all manifests."""
    for snapshot in table.snapshots():
        for manifest in snapshot.manifests(table.io):
            for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
                yield entry.data_file


def as_number(value: Any) -> Any:
    """A value that distinguishes zeros of either sign."""
    return repr(value) if isinstance(value, float) else value


def as_theirs(row: dict[str, Any]) -> dict[str, Any]:
    """A row as pyiceberg gives it."""
    found: dict[str, Any] = plain({key: row[key] for key in row if key not in OURS})
    if found.get("partition_summaries", ()) is None:
        del found["partition_summaries"]  # which it takes for empty
    if "data_file" in found:
        found["data_file"] = {
            key: value
            for key, value in found["data_file"].items()
            if key not in OURS and key != "spec_id"
        }
    return found


def bound(text: str | None) -> Any:
    """A bound of partitions as Java or as Python writes it in text."""
    if text in {None, "", "null"}:  # pyiceberg takes an empty bound for a missing one
        return None
    for read in (np.float32, dt.time.fromisoformat, dt.datetime.fromisoformat):
        try:
            return read(str(text))
        except ValueError:
            continue
    return text


def plain(value: Any) -> Any:
    """Values without what differs in form alone: zones, the order of keys, empty partitions."""
    if isinstance(value, dict) and "contains_nan" in value:
        sides = {each: bound(value[each]) for each in ("lower_bound", "upper_bound")}
        return value | sides
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value) if value[key] not in ({}, [])}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    return "NaN" if value != value else value  # noqa: PLR0124  likewise
