"""A file that is cut off or replaced while it is read gives an error or its old content.

Each case runs in a process of its own: a page of a memory map that is gone ends it with SIGBUS.
All are forked from one that has imported what they need.
"""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Final

import pytest
from tests.support.forks import Forks, forks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IMPORTS: Final = (
    "pyarrow.orc",
    "pyarrow.parquet",
    "byteloom.hfile",
    "byteloom.datafiles.orc_file",
    "byteloom.datafiles.parquet_file",
    "byteloom.puffin",
)

WRITING: Final = """
import os
import pyarrow as pa, pyarrow.orc as orc, pyarrow.parquet as pq
from byteloom.errors import ByteloomError
from byteloom.storage import open_source
from byteloom.storage.sources import LocalSource
from byteloom import hfile
from byteloom.datafiles.orc_file import OrcData
from byteloom.datafiles.parquet_file import ParquetData
from byteloom.datafiles.data_file import OpenOptions
from byteloom.datafiles.wanted import Wanted
from byteloom.puffin import PuffinWriter
from byteloom_generated.puffin.puffin import Puffin
import numpy as np

rows = 200_000
field = pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "1", "iceberg.id": "1"})
table = pa.table([pa.array(np.random.default_rng(1).integers(0, 2**62, rows))], pa.schema([field]))

def pieces(opened):
    return opened.pieces(Wanted([field]))

path = os.path.abspath("file")
"""

READERS: Final = {
    "ranges": """
        open(path, "wb").write(bytes(4 << 20))
        source = open_source(path)
        taken = (source.read(at, 1 << 16) for at in range(0, source.size, 1 << 16))
    """,
    "Parquet": """
        pq.write_table(table, path, compression="none", row_group_size=20_000)
        taken = pieces(ParquetData(open_source(path), path, OpenOptions()))
    """,
    "ORC": """
        orc.write_table(table, path, stripe_size=1 << 17, compression="uncompressed")
        taken = pieces(OrcData(open_source(path), path, OpenOptions()))
    """,
    "HFile": """
        cells = {"row": [b"%09d" % i for i in range(rows)], "family": [b"f"] * rows,
                 "qualifier": [b"q"] * rows, "timestamp": [1] * rows, "value": [bytes(99)] * rows}
        with hfile.HFileWriter(path) as new:
            new.write(pa.table(cells))
        taken = iter(hfile.open(path).batches())
    """,
    "records": """
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


@pytest.fixture(scope="module")
def python() -> Iterator[Forks]:
    """Start the process whose forks read files."""
    with forks(*IMPORTS) as found:
        yield found


def outcome(python: Forks, folder: Path, reader: str, change: str) -> str:
    """Return what a program prints that reads a file while the file is changed."""
    code = WRITING + dedent(READERS[reader]) + ENDING.format(change=change)
    return python.run(code, folder)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_cut_off(reader: str, python: Forks, tmp_path: Path) -> None:
    """Reading a file that was cut off is an error with its name, unless it was in memory whole."""
    said = outcome(python, tmp_path, reader, CUT)
    wanted = "read\n" if reader == "records" else f"refused: {tmp_path / 'file'}"
    assert said.startswith(wanted)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_replaced(reader: str, python: Forks, tmp_path: Path) -> None:
    """A file that is replaced after it was opened is read to the end of its old content."""
    assert outcome(python, tmp_path, reader, REPLACED) == "read\n"
