"""Verifying Lance datasets, beside reading all their columns one by one, which is a part of it.

    make bench ONLY=lance_verify

- A dataset of few fragments, one of many, one of 20 versions, and one of 100 small versions.
- The files are read from the page cache; a turn of each is as many runs as take 0.1 s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.speed import Side, compared, enough, seconds

from byteloom import lance
from byteloom.verification.lance import verify_dataset

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.bench

ROWS = 400_000


def side(name: str, run: Callable[[], object]) -> Side:
    """Return a side that runs something often enough to be measured."""
    return Side(name, seconds(run, enough(run)))


@pytest.mark.parametrize(
    ("what", "count", "fragments", "commits"),
    [
        ("10 fragments", ROWS, 10, 1),
        ("1,000 fragments", ROWS, 1000, 1),
        ("20 versions", ROWS, 20, 20),
        ("100 small versions", 1000, 100, 100),
    ],
)
def test_verifying(what: str, count: int, fragments: int, commits: int, tmp_path: Path) -> None:
    """Prints how long it takes to verify a dataset, and to read its columns one by one."""
    random = np.random.default_rng(7)
    numbers = random.integers(0, 1 << 40, count)
    texts = [f"{each:x}" for each in (numbers % 5000).tolist()]
    table = pa.table({"n": numbers, "x": random.random(count), "t": texts})
    place, rows = tmp_path / "d", count // commits
    for number in range(commits):
        part = table[number * rows : (number + 1) * rows]
        mode = "append" if number else "create"
        lance.write_dataset(place, part, mode=mode, max_rows_per_file=count // fragments)

    def read() -> None:
        dataset = lance.open_dataset(place)
        for name in dataset.schema.names:
            for _ in dataset.scan([name]).batches():
                pass

    verify_dataset(str(place))
    ours = side("verify", lambda: verify_dataset(str(place)))
    compared(f"Lance, {what}: verify", "ms", ours, side("columns one by one", read))
