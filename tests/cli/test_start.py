"""Commands on small files start without a compiler."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.hfile_cells import regular
from tests.support.hudi_indexed import made
from tests.support.iceberg_writer import FolderCatalog

from byteloom.hfile.writing import HFileWriter

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
import sys
from byteloom.cli import app
try: app(sys.argv[1:])
except SystemExit as exit: assert not exit.code
assert "numba" not in sys.modules
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An HFile, a Parquet file, an Iceberg table and a Hudi table."""
    folder = tmp_path_factory.mktemp("start")
    with HFileWriter(folder / "cells", encoding="FAST_DIFF", compression="GZ") as writer:
        writer.write(regular(500))
    rows = pa.table({"id": list(range(300)), "name": ["a", "b", "c"] * 100})
    FolderCatalog(folder).create("table", rows.schema).append(rows)
    pq.write_table(rows, folder / "rows.parquet")
    (folder / "hudi").mkdir()
    made().write(folder / "hudi")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "inspect cells",
        "verify cells",
        "hfile get cells row-0000000001",
        "hfile scan cells",
        "table info table",
        "table plan table",
        "table scan table",
        "verify table",
        "puffin ndv rows.parquet -o x.puffin",
        "hudi files hudi",
    ],
)
def test_small_files_load_no_compiler(folder: Path, command: str) -> None:
    """Numba, which takes longer to import than a small file to read, is not imported."""
    run = [sys.executable, "-c", CODE, *command.split()]
    assert subprocess.run(run, cwd=folder, check=False, capture_output=True).returncode == 0
