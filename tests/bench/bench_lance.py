"""Reading Lance files of versions 2.0 to 2.2, ours beside pylance, which wrote them.

    make bench ONLY=lance

- Nine kinds of columns, most of one or two million rows: whole, and 1,000 random rows of a newly
  opened file.
- Wall and processor time of the median of five rounds after one that is not counted; the ratio is
  pylance's time to ours.
"""

from __future__ import annotations

import os
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pytest
from tests.support.pylance_files import written

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.peer("pylance")]

ROUNDS: Final = 5
ROWS: Final = 1_000_000
TAKEN: Final = 1_000
VERSIONS: Final = ["2.0", "2.1", "2.2"]


def kinds() -> dict[str, pa.Array]:
    """The columns."""
    drawn = np.random.default_rng(0)
    small = drawn.integers(0, 1_000, 2 * ROWS)
    names = np.char.add("category_", drawn.integers(0, 20, ROWS).astype(str))
    texts = np.char.add("row-", drawn.integers(0, 1_000_003, ROWS).astype(str))
    ends = pa.array(np.arange(0, 2 * ROWS + 1, 8, dtype=np.int32))
    items = pa.array(drawn.integers(0, 100_000, 2 * ROWS).astype(np.int32))
    parts = [pa.array(small[:ROWS]), pa.array(drawn.random(ROWS)), pa.array(texts)]
    return {
        "int64": pa.array(drawn.integers(-(1 << 62), 1 << 62, 2 * ROWS)),
        "int64 small": pa.array(small),
        "int64 nulls": pa.array(small, mask=drawn.random(2 * ROWS) < 0.1),
        "float64": pa.array(drawn.random(2 * ROWS)),
        "text": pa.array(texts),
        "few texts": pa.array(names),
        "lists": pa.ListArray.from_arrays(ends, items),
        "structs": pa.StructArray.from_arrays(parts, ["a", "b", "c"]),
        "vectors": pa.FixedSizeListArray.from_arrays(
            pa.array(drawn.random(20_000 * 128, np.float32)), 128
        ),
    }


def seconds(run: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor time."""
    walls, processor = [], []
    for _ in range(ROUNDS + 1):
        before, start = os.times(), perf_counter()
        run()
        walls.append(perf_counter() - start)
        after = os.times()
        processor.append(after.user + after.system - before.user - before.system)
    return median(walls[1:]), median(processor[1:])


def scanned(place: Path) -> pa.Table:
    """All rows of a newly opened file."""
    with lance.open(place) as file:
        return file.to_table()


def taken(place: Path, rows: np.ndarray) -> pa.Table:
    """Some rows of a newly opened file."""
    with lance.open(place) as file:
        return file.take(rows)


@pytest.mark.parametrize("version", VERSIONS)
def test_lance(version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whole columns, and rows by their numbers."""
    from lance.file import LanceFileReader

    place = tmp_path / "c.lance"
    for name, column in kinds().items():
        written(place, pa.table({"c": column}), version)
        rows = np.sort(np.random.default_rng(1).choice(len(column), TAKEN, replace=False))
        numbers = rows.tolist()
        runs: dict[str, tuple[Callable[[], pa.Table], Callable[[], pa.Table]]] = {
            "scan": (
                lambda: scanned(place),
                lambda: LanceFileReader(str(place)).read_all().to_table(),
            ),
            "take": (
                lambda: taken(place, rows),  # noqa: B023  called in this round alone
                lambda: LanceFileReader(str(place)).take_rows(numbers).to_table(),  # noqa: B023
            ),
        }
        for what, (ours, theirs) in runs.items():
            assert ours().equals(theirs())
            (wall, used), (their_wall, their_used) = seconds(ours), seconds(theirs)
            with capsys.disabled():
                print(
                    f"{version} {name:12} {what}: {wall * 1e3:7.1f} ms, pylance "
                    f"{their_wall * 1e3:7.1f} ms, ratio {their_wall / wall:5.2f}; processor "
                    f"{used * 1e3:5.0f} and {their_used * 1e3:5.0f} ms"
                )
