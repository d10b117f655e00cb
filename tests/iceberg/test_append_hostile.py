"""Appends to tables, and of rows, that are strange or that another writer damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from pathlib import Path

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
