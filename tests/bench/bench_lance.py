"""Reading Lance files, beside pylance: full scans, and 1,000 random rows.

    make peers && make bench ONLY=lance

- Nine kinds of columns, of one or two million values, written by pylance; both open the file anew
  each time, and read it from the page cache.
- A ratio below 1 is where we are faster; that of processor time counts all threads of a process.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.pylance_files import written

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.peer("pylance")]

VERSIONS = ["2.0", "2.1", "2.2"]
ROWS, TURNS, BATCH, TAKEN = 1_000_000, 5, 1 << 16, 1_000


def texts(random: np.random.Generator) -> pa.Array:
    """Short texts, hardly any twice."""
    return pa.array([f"{each:x}" for each in random.integers(0, 1 << 48, ROWS).tolist()])


def columns() -> dict[str, Callable[[np.random.Generator], pa.Array]]:
    """What makes each kind of column."""
    words = np.array([f"value {number}" for number in range(20)], object)
    return {
        "int64": lambda random: pa.array(random.integers(-(1 << 62), 1 << 62, 2 * ROWS)),
        "int64, small": lambda random: pa.array(random.integers(0, 1_000, 2 * ROWS)),
        "int32, nulls": lambda random: pa.array(
            random.integers(0, 1 << 30, 2 * ROWS).astype(np.int32),
            mask=random.random(2 * ROWS) < 0.1,
        ),
        "double": lambda random: pa.array(random.random(2 * ROWS)),
        "text": texts,
        "text, few": lambda random: pa.array(words[random.integers(0, 20, ROWS)]),
        "list<int32>": lambda random: pa.ListArray.from_arrays(
            pa.array(np.arange(ROWS // 4 + 1) * 8, pa.int32()),
            pa.array(random.integers(0, 1 << 30, 2 * ROWS).astype(np.int32)),
        ),
        "struct of 3": lambda random: pa.StructArray.from_arrays(
            [
                pa.array(random.integers(0, 100, ROWS)),
                pa.array(random.random(ROWS)),
                texts(random),
            ],
            ["a", "b", "c"],
        ),
        "vector of 128": lambda random: pa.FixedSizeListArray.from_arrays(
            pa.array(random.random(ROWS // 50 * 128).astype(np.float32)), 128
        ),
    }


def times(run: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of a run, and of processor time, the medians of some after the first."""
    run()
    walls, processors = [], []
    for _ in range(TURNS):
        wall, processor = perf_counter(), process_time()
        run()
        walls.append(perf_counter() - wall)
        processors.append(process_time() - processor)
    return median(walls) * 1_000, median(processors) * 1_000


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", columns())
def test_reading(kind: str, version: str, tmp_path: Path) -> None:
    """Scan a column, and take rows of it, in turns with pylance."""
    from lance.file import LanceFileReader

    random = np.random.default_rng(7)
    table = pa.table({"c": columns()[kind](random)})
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=BATCH))
    path = str(written(tmp_path / "c.lance", batches, version))
    rows = np.sort(random.choice(len(table), TAKEN, replace=False)).tolist()

    def scan() -> int:
        with lance.open(path) as file:
            return sum(each.num_rows for each in file.scan(batch_size=BATCH).batches())

    def take() -> pa.Table:
        with lance.open(path) as file:
            return file.take(rows)

    def their_scan() -> int:
        found = LanceFileReader(path).read_all(batch_size=BATCH).to_batches()
        return sum(each.num_rows for each in found)

    def their_take() -> pa.Table:
        return LanceFileReader(path).take_rows(rows).to_table()

    assert scan() == their_scan() == len(table)
    assert take().equals(their_take())
    print()
    for what, ours, theirs in (("scan", scan, their_scan), ("take", take, their_take)):
        mine, other = times(ours), times(theirs)
        print(
            f"{version}  {what}  {kind:14} {mine[0]:7.1f} ms, pylance {other[0]:7.1f} ms:"
            f" {mine[0] / other[0]:5.2f}; processor {mine[1] / other[1]:5.2f}"
        )
