"""Readers that know nothing of byteloom find the rows that it deleted and changed as it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.support.iceberg_readers import REFUSED, Readers, named

from byteloom.iceberg import create_table

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

COLUMNS = pa.schema({"id": pa.int64(), "group": pa.string(), "ratio": pa.float64()})
WAYS = [(1, "copy-on-write"), (2, "copy-on-write"), (2, "merge-on-read"), (3, "copy-on-write")]
WAYS.append((3, "merge-on-read"))
READERS = ("duckdb", "pyiceberg")


def rows(first: int, end: int) -> pa.Table:
    """Return the rows with these numbers; each fifth has only its id."""
    ids = list(range(first, end))
    groups = ["abc"[each % 3] if each % 5 else None for each in ids]
    ratios = [each / 4 if each % 5 else None for each in ids]
    return pa.table({"id": ids, "group": groups, "ratio": ratios}, COLUMNS)


def changed(folder: Path, version: int, mode: str, partition_by: list[str]) -> Table:
    """Return a table whose rows were changed in each way but by equality deletes."""
    modes = {f"write.{verb}.mode": mode for verb in ("delete", "update", "merge")}
    table = create_table(
        folder, COLUMNS, partition_by=partition_by, format_version=version, properties=modes
    )
    table = table.append(rows(0, 40)).append(rows(40, 60))
    table = table.delete("id < 5 or group is null").delete("id in (7, 8, 41)")
    table = table.update({"ratio": pc.field("ratio") * 2, "group": "z"}, "id >= 50")
    table = table.upsert(rows(31, 34), "id").upsert(rows(58, 64), "id")
    return table.overwrite(rows(70, 75), "id > 10 and id < 20")


def ordered(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return rows in the order of their ids."""
    rows = [tuple(each[name] for name in COLUMNS.names) for each in found]
    return sorted(rows, key=lambda each: each[0])


@pytest.mark.parametrize("partition_by", [[], ["group"], ["bucket(3, id)"]], ids="-".join)
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("reader", READERS, ids=named)
def test_peers_find_the_rows_that_are_left(
    tmp_path: Path, readers: Readers, reader: str, way: tuple[int, str], partition_by: list[str]
) -> None:
    """Each peer reads the same rows from the metadata file, and nothing is wrong with the table."""
    table = changed(tmp_path / "t", *way, partition_by)
    ours = table.scan().to_table().to_pylist()
    assert ordered(readers.rows(reader, table.metadata_location)) == ordered(ours)
    assert table.verify() == []


@pytest.mark.parametrize("partition_by", [[], ["ratio"]], ids="-".join)
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("reader", READERS, ids=named)
def test_peers_apply_the_keys_that_were_deleted(
    tmp_path: Path, readers: Readers, reader: str, version: int, partition_by: list[str]
) -> None:
    """Rows with the keys are gone, those that were added later are not; some peers refuse."""
    folder = tmp_path / "t"
    table = create_table(folder, COLUMNS, format_version=version, partition_by=partition_by)
    table = table.append(rows(1, 30))
    keys = pa.table({"id": [2, 5, 7], "group": ["c", None, "b"]})
    table = table.delete_keys(keys).append(rows(2, 3))
    ours = table.scan().to_table().to_pylist()
    assert len(ours) == 29 - 3 + 1
    if (reader, "equality") in REFUSED:
        with pytest.raises(Exception, match=REFUSED[reader, "equality"]):
            readers.rows(reader, table.metadata_location)
        return
    assert ordered(readers.rows(reader, table.metadata_location)) == ordered(ours)
