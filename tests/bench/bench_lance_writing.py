"""Writing Lance files, beside pylance: processor time, and how large the files are.

    make peers && make bench ONLY=lance_writing

- The nine kinds of columns of `bench_lance`, in versions 2.1 and 2.2, both to a file in a folder.
- A ratio below 1 is where we are faster, or our file smaller; time is that of all threads.
"""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.bench.bench_lance import columns
from tests.support.pylance_files import written

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.peer("pylance")]

TURNS, BATCH = 5, 1 << 16


def seconds(runs: list[Callable[[], object]]) -> list[float]:
    """Processor time of each run, the median of some in turns after the first."""
    found: list[list[float]] = [[] for _ in runs]
    for turn in range(TURNS + 1):
        for run, times in zip(runs, found, strict=True):
            before = process_time()
            run()
            if turn:
                times.append(process_time() - before)
    return [median(each) for each in found]


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("kind", columns())
def test_writing(kind: str, version: str, tmp_path: Path) -> None:
    """Prints the time to write a column, in turns with pylance; each reads the other's file."""
    from lance.file import LanceFileReader

    table = pa.table({"c": columns()[kind](np.random.default_rng(7))})
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=BATCH))
    mine, theirs = tmp_path / "mine.lance", tmp_path / "theirs.lance"

    def write() -> None:
        with lance.LanceWriter(mine, batches.schema, version=version) as writer:
            writer.write(batches)

    times = seconds([write, lambda: written(theirs, batches, version)])
    with lance.open(theirs) as file:
        assert file.to_table().equals(table)
    assert LanceFileReader(str(mine)).read_all().to_table().equals(table)
    rates = [table.nbytes / each / 1e6 for each in times]
    sizes = [each.stat().st_size for each in (mine, theirs)]
    print(
        f"\n{version}  write  {kind:14} {rates[0]:6.0f} MB/s of processor, pylance {rates[1]:6.0f}:"
        f" {times[0] / times[1]:5.2f}; {sizes[0]:10,} bytes, {sizes[0] / sizes[1]:5.2f}"
    )
