"""A file that is cut off or replaced while it is read gives an error or its old content.

Each case runs in a process of its own: a page of a memory map that is gone ends it with SIGBUS.
"""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

WRITING: Final = """
import os, sys
import pyarrow as pa, pyarrow.orc as orc, pyarrow.parquet as pq
from byteloom.errors import ByteloomError
from byteloom.storage import open_source
from byteloom.storage.sources import LocalSource
import numpy as np

path = sys.argv[1]
rows = 200_000
field = pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "1", "iceberg.id": "1"})
table = pa.table([pa.array(np.random.default_rng(1).integers(0, 2**62, rows))], pa.schema([field]))

def pieces(opened):
    from byteloom.iceberg.types import LongType, NestedField
    return opened.pieces([NestedField(1, "a", LongType(), required=False)])

"""

READERS: Final = {
    "ranges": """
        open(path, "wb").write(bytes(4 << 20))
        source = open_source(path)
        taken = (source.read(at, 1 << 16) for at in range(0, source.size, 1 << 16))
    """,
    "Parquet": """
        from byteloom.iceberg.reading.parquet_file import ParquetData
        pq.write_table(table, path, compression="none", row_group_size=20_000)
        taken = pieces(ParquetData(open_source(path), path, None))
    """,
    "ORC": """
        from byteloom.iceberg.reading.orc_file import OrcData
        from byteloom.limits import DEFAULT_LIMITS
        orc.write_table(table, path, stripe_size=1 << 17, compression="uncompressed")
        taken = pieces(OrcData(open_source(path), path, None, DEFAULT_LIMITS))
    """,
    "HFile": """
        from byteloom import hfile
        cells = {"row": [b"%09d" % i for i in range(rows)], "family": [b"f"] * rows,
                 "qualifier": [b"q"] * rows, "timestamp": [1] * rows, "value": [bytes(99)] * rows}
        with hfile.HFileWriter(path) as new:
            new.write(pa.table(cells))
        taken = iter(hfile.open(path).batches())
    """,
    "records": """
        from byteloom_generated.puffin.puffin import Puffin
        from byteloom.puffin import PuffinWriter
        with PuffinWriter(path) as new:
            new.add(type="x", data=bytes(4 << 20), fields=[], snapshot_id=1, sequence_number=1)
        opened = Puffin.from_file(path)
        taken = (getattr(opened, each) for each in 2 * ["footer"])
    """,
}
"""Programs that write a file at *path*, and how the parts of it are *taken*."""

ENDING: Final = """
next(taken)
{change}
try:
    for each in taken: pass
    print("read")
except ByteloomError as error:
    print("refused:", error)
"""

CUT: Final = "os.truncate(path, 5000)"
REPLACED: Final = "open(path + '.new', 'wb').write(bytes(10)); os.replace(path + '.new', path)"


def outcome(path: Path, reader: str, change: str) -> str:
    """Return the output of a program that reads a file while the file is changed."""
    code = WRITING + dedent(READERS[reader]) + ENDING.format(change=change)
    command = [sys.executable, "-c", code, str(path)]
    run = subprocess.run(command, capture_output=True, check=False, text=True)
    assert run.returncode == 0, (run.returncode, run.stderr)
    return run.stdout


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_cut_off(reader: str, tmp_path: Path) -> None:
    """Reading a file that was cut off is an error with its name, unless it was in memory whole."""
    said = outcome(tmp_path / "file", reader, CUT)
    wanted = "read\n" if reader == "records" else f"refused: {tmp_path / 'file'}"
    assert said.startswith(wanted)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_replaced(reader: str, tmp_path: Path) -> None:
    """A file that is replaced after it was opened is read to the end of its old content."""
    assert outcome(tmp_path / "file", reader, REPLACED) == "read\n"
