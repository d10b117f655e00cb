"""The files of a table can be verified in parts, each file in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.iceberg_rows import TableMaker, arrow, parquet

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

FILES = 7
DAMAGED = (0, 3, 4, 6)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Return a table of seven files, of which four are cut off."""
    maker = TableMaker(tmp_path, [(1, "id", "long")])
    files = []
    for number in range(FILES):
        rows = arrow({(1, "id"): pa.array([number] * 10, pa.int64())})
        files.append(parquet(tmp_path / "data" / f"{number}.parquet", rows))
    maker.commit(*files)
    for number in DAMAGED:
        path = tmp_path / "data" / f"{number}.parquet"
        path.write_bytes(path.read_bytes()[:-9])
    return maker.open()


@pytest.mark.parametrize("parts", [1, 2, 3, FILES, FILES + 1])
def test_all_parts_together_find_what_one_finds(table: Table, parts: int) -> None:
    """All parts together report each damaged file once, whatever their number."""
    whole = sorted(map(str, table.verify()))
    found = [str(each) for number in range(parts) for each in table.verify(part=(number, parts))]
    assert len(whole) == len(DAMAGED)
    assert sorted(found) == whole


def test_findings_of_metadata_are_of_the_first_part(tmp_path: Path) -> None:
    """Findings in the metadata are reported by the first part alone."""
    maker = TableMaker(tmp_path, [(1, "at", "timestamp_ns")], version=2)
    rows = arrow({(1, "at"): pa.array([1], pa.timestamp("ns"))})
    maker.commit(parquet(tmp_path / "data" / "0.parquet", rows))
    table = maker.open()
    (error,) = table.verify(part=(0, 2))
    assert "timestamp_ns" in str(error)
    assert table.verify(part=(1, 2)) == []
