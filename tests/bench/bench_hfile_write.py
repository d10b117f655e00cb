"""Writing a million cells of 47 bytes, beside HBase's own writer in the same run.

- HBase is given its cells as objects, made beforehand; byteloom gets columns of Arrow.
- Both write to memory where the machine has a file system in it: HBase does not wait for the disk,
  and byteloom does (fsync), which has a line of its own.
- GZ: HBase has zlib's level 6.  byteloom's default is isal, faster and a little larger; sizes are
  printed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.hbase import HBase, to_stream
from tests.support.hfile_cells import regular
from tests.support.speed import Side, compared, seconds

from byteloom.hfile import HFileWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

CELLS = 1_000_000
RATE = "M cells/s"
_MEMORY = Path("/dev/shm")  # noqa: S108  a place in memory, of our own name


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """The cells."""
    return regular(CELLS)


@pytest.fixture(scope="module")
def stream(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cells in the form that HBase's side reads."""
    place = tmp_path_factory.mktemp("cells") / "stream"
    kinds = pa.array([4] * CELLS, pa.uint8())
    to_stream(table.append_column("type", kinds), place)
    return place


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, or an ordinary one where there is none."""
    place = Path(tempfile.mkdtemp(dir=_MEMORY if _MEMORY.is_dir() else tmp_path))
    yield place
    shutil.rmtree(place)


def writing(place: Path, table: pa.Table, **options: Any) -> Side:
    """Our writer, in millions of cells."""

    def write() -> None:
        with HFileWriter(place, mvcc=False, **options) as writer:
            writer.write(table)

    return Side("byteloom", seconds(write, 3), CELLS / 1e6)


@pytest.mark.bench
@pytest.mark.peer("hbase")
@pytest.mark.parametrize(
    "form",
    [("NONE", "NONE"), ("GZ", "NONE"), ("NONE", "FAST_DIFF"), ("GZ", "FAST_DIFF")],
    ids="+".join,
)
def test_write_a_million_cells(  # noqa: PLR0917  fixtures
    hbase: HBase, table: pa.Table, stream: Path, memory: Path, tmp_path: Path, form: tuple[str, str]
) -> None:  # fmt: skip
    """Prints how many cells each writer writes in a second, and the sizes of the files."""
    codec, encoding = form
    options = {"compression": codec, "encoding": encoding}
    settings = {"codec": codec, "encoding": encoding, "mvcc": False}

    def by_hbase() -> float:
        place = memory / "theirs"
        return hbase.bench("write", place, cells=stream, warm=6, rounds=3, **settings)["median"]

    peer = Side(f"HBase {hbase.version}", by_hbase, CELLS / 1e6)
    what = f"writing a million cells as an HFile, {codec}, {encoding}"
    compared(what, RATE, writing(memory / "ours", table, **options), peer)
    sizes = [(memory / name).stat().st_size for name in ("ours", "theirs")]
    print(f"bytes {sizes[0]:,} to {sizes[1]:,} ({sizes[0] / sizes[1]:.2f})")
    if codec == "GZ":
        compared(
            f"{what}, zlib's level 6",
            RATE,
            writing(memory / "ours", table, level=6, **options),
            peer,
        )
        size = (memory / "ours").stat().st_size
        print(f"bytes {size:,} ({size / sizes[1]:.2f})")
    else:
        to_disk = writing(tmp_path / "ours", table, **options)
        print(f"with fsync on this machine's disk: {to_disk.amount / to_disk.run():.1f} {RATE}")
