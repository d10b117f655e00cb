"""Writing Lance files, beside pylance: processor time, and how large the files are.

    make peers && make bench ONLY=lance_writing

- The nine kinds of columns of `bench_lance`, in versions 2.0, 2.1 and 2.2, both to a file.
- A turn of each is as many runs as take a tenth of a second; time is that of all threads.
- The size of our file beside pylance's is printed too.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.bench.bench_lance import KINDS, VERSIONS
from tests.support.pylance_files import written
from tests.support.speed import Side, compared, enough, of_package

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.peer("pylance")]

BATCH = 1 << 16
TURNS = 11
"""More than of other benchmarks: the system writes to the disk whenever it likes."""


def processor(run: Callable[[], object]) -> Callable[[], float]:
    """Return what runs something some times, and returns the mean processor time of all threads."""
    times = enough(run)

    def timed() -> float:
        before = process_time()
        for _ in range(times):
            run()
        return (process_time() - before) / times

    return timed


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_writing(kind: str, version: str, tmp_path: Path) -> None:
    """Prints the time to write a column, in turns with pylance; each reads the other's file."""
    from lance.file import LanceFileReader

    table = pa.table({"c": KINDS[kind](np.random.default_rng(7))})
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=BATCH))
    mine, theirs = tmp_path / "mine.lance", tmp_path / "theirs.lance"

    def write() -> None:
        with lance.LanceWriter(mine, batches.schema, version=version) as writer:
            writer.write(batches)

    ours = Side("byteloom", processor(write), table.nbytes / 1e6)
    their_write = processor(lambda: written(theirs, batches, version))
    peer = of_package("pylance", "pylance", their_write, table.nbytes / 1e6)
    name = f"Lance {version}, {kind}: writing, processor time"
    compared(name, "MB/s", ours, peer, turns=TURNS)
    with lance.open(theirs) as file:
        assert file.to_table().equals(table)
    assert LanceFileReader(str(mine)).read_all().to_table().equals(table)
    sizes = [each.stat().st_size for each in (mine, theirs)]
    print(f"{sizes[0]:,} bytes, {sizes[0] / sizes[1]:.2f} of pylance's")
