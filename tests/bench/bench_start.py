"""Processor seconds of whole commands on small files, in processes of their own.

    make bench ONLY=start

- "Cold" is the first use on a new machine: no kernel has been compiled.  "Warm" is the next use.
- Files take up to 1 MB: HFiles of 2,000 cells, of 20,000 and of 200,000 that are packed to a tenth
  of their size, manifests of 2,000 data files, a table of 10,000 rows, a Puffin file.
- Seconds are user and system time of the process and its threads.  The ratio is to the start of
  Python with pyarrow, which every command pays for, measured before each command.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.hfile_cells import regular
from tests.support.iceberg_fixtures import ManyFiles, write_many_files
from tests.support.iceberg_writer import FolderCatalog

from byteloom.hfile.writing import HFileWriter

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 2
ROW = "row-0000000001"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files."""
    folder = tmp_path_factory.mktemp("start")
    cells = regular(200_000)
    for name, count, encoding, codec in (
        ("small", 2_000, "FAST_DIFF", "GZ"),
        ("plain", 20_000, "NONE", "NONE"),
        ("packed", 200_000, "FAST_DIFF", "GZ"),
    ):
        with HFileWriter(folder / name, encoding=encoding, compression=codec) as writer:
            writer.write(cells.slice(0, count))
    rows = pa.table({"id": list(range(10_000)), "name": [f"name {i % 777}" for i in range(10_000)]})
    FolderCatalog(folder).create("table", rows.schema).append(rows)
    pq.write_table(rows, folder / "rows.parquet")
    write_many_files(folder / "many", ManyFiles(2_000, manifests=2))
    return folder


COMMANDS = {
    "inspect HFile": "inspect small",
    "verify HFile": "verify small",
    "verify HFile, 1 MB": "verify plain",
    "hfile get": f"hfile get small {ROW}",
    "hfile get, 1 MB": f"hfile get packed {ROW}",
    "hfile scan": "hfile scan small",
    "hfile scan, 1 MB": "hfile scan plain",
    "hfile scan, packed": "hfile scan packed",
    "table info": "table info table",
    "table plan": "table plan table",
    "table plan, 2,000": "table plan many/many-files-2000-2-64000-deflate",
    "table scan": "table scan table --limit 10",
    "puffin ndv": "puffin ndv rows.parquet -f -o x.puffin",
    "inspect Puffin": "inspect x.puffin",
}


@pytest.mark.bench
@pytest.mark.parametrize("title", COMMANDS)
def test_start(folder: Path, tmp_path: Path, title: str) -> None:
    """A command of its own process, first with an empty cache of compiled code."""
    command = ["-m", "byteloom", *COMMANDS[title].split()]
    floor = min(used(folder, tmp_path, ["-c", "import pyarrow"]) for _ in range(ROUNDS))
    cold = used(folder, tmp_path, command)
    warm = min(used(folder, tmp_path, command) for _ in range(ROUNDS))
    print(
        f"\n{title:20} cold {cold:5.2f} s ({cold / floor:5.1f} times pyarrow's import),"
        f" warm {warm:5.2f} s ({warm / floor:4.1f})"
    )


def used(folder: Path, cache: Path, arguments: list[str]) -> float:
    """Return the processor seconds of Python with *arguments*."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    with subprocess.Popen(
        [sys.executable, *arguments], env=environment, cwd=folder, stdout=subprocess.DEVNULL
    ) as process:
        _, status, resources = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return resources.ru_utime + resources.ru_stime
