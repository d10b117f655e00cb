"""Processor seconds of whole commands on small files, in processes of their own.

    make bench ONLY=start

- "Cold" is the first use on a new machine: nothing is compiled, and no folder can be written to
  keep what is, as in a container without a home.  "Warm" is the second use with a cache.
- Files are up to 1 MB: an HFile as it is and one that unpacks to ten times its size, manifests of
  2,000 and of 20,000 data files, a table of 10,000 rows, a Puffin file.
- Seconds are user and system time of the process and its threads, the least of some rounds.  The
  ratio is to Python's own start with pyarrow, which every command pays for.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.hfile_cells import regular
from tests.support.iceberg_fixtures import ManyFiles, write_many_files
from tests.support.iceberg_writer import FolderCatalog

from byteloom.hfile.writing import HFileWriter
from byteloom.iceberg.table import open_table

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 3
ROW = "row-0000001"


@dataclass(frozen=True)
class Places:
    """The files that commands read."""

    plain: Path
    packed: Path
    few: Path
    many: Path
    table: Path
    parquet: Path
    puffin: Path
    vector: Path


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """Write the files."""
    folder = tmp_path_factory.mktemp("start")
    cells = regular(200_000)
    for name, count, encoding, codec in (
        ("plain", 20_000, "NONE", "NONE"),
        ("packed", 200_000, "FAST_DIFF", "GZ"),
    ):
        with HFileWriter(folder / name, encoding=encoding, compression=codec) as writer:
            writer.write(cells.slice(0, count))
    rows = pa.table({"id": list(range(10_000)), "name": [f"name {i % 777}" for i in range(10_000)]})
    table = FolderCatalog(folder).create("t", rows.schema)
    table.append(rows)
    pq.write_table(rows, folder / "rows.parquet")
    (folder / "positions").write_text("\n".join(map(str, range(0, 5_000, 7))))
    run(["puffin", "ndv", folder / "rows.parquet", "-o", folder / "x.puffin"])
    run(["puffin", "dv", "write", folder / "dv.puffin", "--positions", folder / "positions"])
    return Places(
        plain=folder / "plain",
        packed=folder / "packed",
        few=write_many_files(folder, ManyFiles(2_000, manifests=2)),
        many=write_many_files(folder, ManyFiles(20_000, manifests=4)),
        table=open_table(str(table.metadata_location)).location,
        parquet=folder / "rows.parquet",
        puffin=folder / "x.puffin",
        vector=folder / "dv.puffin",
    )


def run(arguments: list[object], **environment: str) -> float:
    """Return the processor seconds of a command."""
    command = [sys.executable, "-m", "byteloom", *map(str, arguments)]
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return used.ru_utime + used.ru_stime
