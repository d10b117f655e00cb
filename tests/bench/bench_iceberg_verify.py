"""Verifying a table with all its rows, beside a scan of them.

    make bench ONLY=iceberg_verify

Tables of another writer with statistics of all columns: 4 files of 100,000 rows, or 200 of 500, a
file for each partition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.bench.bench_iceberg_tables import data
from tests.support.iceberg_writer import FolderCatalog
from tests.support.timing import best

from byteloom.iceberg.table import open_table

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.bench

TURNS = 5
COLUMNS = 9
"""Columns of numbers, texts, moments and decimals; the tenth would be a list."""


def _written(root: Path, files: int, rows: int) -> str:
    """Write a table; return the place of its metadata."""
    held = [data(COLUMNS, file, rows) for file in range(files)]
    names = [f"c{each}" for each in range(COLUMNS)]
    columns = [pa.concat_tables(held).column(each).combine_chunks() for each in names]
    part = pa.array([file for file in range(files) for _ in range(rows)], pa.int32())
    table = pa.table([*columns, part], names=[*names, "part"])
    made = FolderCatalog(root).create("t", table.schema)
    with made.update_spec() as spec:
        spec.add_identity("part")
    made.append(table)
    return str(made.metadata_location)


@pytest.mark.parametrize(("files", "rows"), [(4, 100_000), (200, 500)])
def test_verify(files: int, rows: int, tmp_path: Path) -> None:
    """Prints what verification costs in scans of the same table."""
    place = _written(tmp_path, files, rows)

    def scan() -> object:
        return open_table(place).scan().to_table()

    def verify() -> object:
        found = open_table(place).verify()
        assert found == []
        return found

    scanned, verified = best(scan, TURNS), best(verify, TURNS)
    ratio = verified / scanned
    print(f"\n{files} files: verify {verified:.2f} s, scan {scanned:.2f} s, {ratio:.1f} times")
