"""Reading Lance files, beside pylance: full scans, and 1,000 random rows.

    make peers && make bench ONLY=lance

- Nine kinds of columns, of one or two million values, a file of 2,000 columns and a dataset of
  10,000 fragments, written by pylance; both open the file anew each time, and read it from the page
  cache.
- A turn of each is as many runs as take a tenth of a second.
- Rows of docs/benchmarks.md are of time by the clock.  The ratio of processor time, which counts
  all threads of a process, is printed below each, and is above 1 where we take less.
"""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_kinds import kinds
from tests.support.pylance_files import written
from tests.support.speed import Side, compared, enough, of_package, seconds

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.peer("pylance")]

VERSIONS = ["2.0", "2.1", "2.2"]
ROWS, BATCH, TAKEN = 1_000_000, 1 << 16, 1_000
KINDS = kinds(ROWS)


def compare(what: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """Print how long both take by the clock, and the ratio of their processor time."""
    spent: tuple[list[float], list[float]] = ([], [])

    def watched(run: Callable[[], object], own: list[float]) -> Callable[[], float]:
        times = enough(run)
        timed = seconds(run, times)

        def watch() -> float:
            before = process_time()
            took = timed()
            own.append((process_time() - before) / times)
            return took

        return watch

    mine = Side("byteloom", watched(ours, spent[0]))
    peer = of_package("pylance", "pylance", watched(theirs, spent[1]))
    compared(f"Lance {what}", "ms", mine, peer)
    print(f"processor: {median(spent[1][1:]) / median(spent[0][1:]):.2f}")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_reading(kind: str, version: str, tmp_path: Path) -> None:
    """Prints the times to scan a column and to take rows of it, in turns with pylance."""
    from lance.file import LanceFileReader

    random = np.random.default_rng(7)
    table = pa.table({"c": KINDS[kind](random)})
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
    count = f"{len(table) / 1e6:.3g} million"
    compare(f"{version}, {kind}: scan of {count}", scan, their_scan)
    compare(f"{version}, {kind}: 1,000 random rows of {count}", take, their_take)


@pytest.mark.parametrize("version", VERSIONS)
def test_wide_file(version: str, tmp_path: Path) -> None:
    """Prints the times to scan 2,000 columns, or three of them, and to take 100 rows."""
    from lance.file import LanceFileReader

    random = np.random.default_rng(7)
    kinds = [
        lambda: pa.array(random.integers(-(1 << 62), 1 << 62, 1_000)),
        lambda: pa.array(random.integers(0, 1_000, 1_000)),
        lambda: pa.array(random.random(1_000)),
        lambda: pa.array(random.integers(0, 1 << 30, 1_000), mask=random.random(1_000) < 0.1),
        lambda: pa.array([f"{each:x}" for each in random.integers(0, 1 << 48, 1_000).tolist()]),
    ]
    table = pa.table({f"c{number}": kinds[number % len(kinds)]() for number in range(2_000)})
    path = str(written(tmp_path / "wide.lance", table, version))
    some, rows = ["c0", "c777", "c1999"], list(range(3, 1_000, 10))

    def scan(columns: list[str] | None = None) -> pa.Table:
        with lance.open(path) as file:
            return file.to_table(columns)

    def their_scan(columns: list[str] | None = None) -> pa.Table:
        return LanceFileReader(path, columns=columns).read_all().to_table()

    def take() -> pa.Table:
        with lance.open(path) as file:
            return file.take(rows)

    def their_take() -> pa.Table:
        return LanceFileReader(path).take_rows(rows).to_table()

    assert scan().equals(their_scan())
    assert take().equals(their_take())
    named = f"{version}, 2,000 columns of 1,000 rows"
    compare(f"{named}: scan", scan, their_scan)
    compare(f"{named}: scan of 3", lambda: scan(some), lambda: their_scan(some))
    compare(f"{named}: 100 rows", take, their_take)


@pytest.mark.parametrize("version", VERSIONS)
def test_many_fragments(version: str, tmp_path: Path) -> None:
    """Prints the times to count, scan and take rows of 10,000 fragments."""
    import lance as pylance

    random = np.random.default_rng(7)
    numbers = random.integers(0, 1 << 48, ROWS)
    columns = {"id": np.arange(ROWS), "x": random.random(ROWS)}
    table = pa.table({**columns, "t": [f"{each:x}" for each in numbers.tolist()]})
    path = str(tmp_path / "many.lance")
    settings: Any = {"max_rows_per_file": 100, "data_storage_version": version}
    pylance.write_dataset(table, path, **settings)
    rows = random.choice(ROWS, TAKEN, replace=False).tolist()

    def take() -> pa.Table:
        return lance.open_dataset(path).take(rows)

    def their_take() -> pa.Table:
        return pylance.dataset(path).take(rows)

    assert take().equals(their_take())
    ours, theirs = lance.open_dataset, pylance.dataset
    named = f"{version}, 10,000 fragments of 100 rows"
    compare(f"{named}: count", lambda: ours(path).count(), lambda: theirs(path).count_rows())
    compare(f"{named}: scan", lambda: ours(path).to_table(), lambda: theirs(path).to_table())
    compare(f"{named}: 1,000 random rows", take, their_take)
