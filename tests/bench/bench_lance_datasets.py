"""Reading ordinary Lance datasets: fragments of 50,000 rows and ten columns, beside pylance.

    make peers && make bench ONLY=lance_datasets

Columns are those of `bench_iceberg_tables`: numbers, texts of few and of many values, moments, a
date, a decimal, a truth value and a list.  Both open the dataset anew each time, and read it from
the page cache.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.bench.bench_lance import compare
from tests.support.ordinary_columns import MAKERS

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.peer("pylance")]

ROWS, TAKEN = 50_000, 1_000
TWO = ["c0", "c3"]
FILTERS = {"a number": "c1 < 10", "a text": "c3 = 'town 7'"}


def data(number: int) -> pa.Table:
    """The rows of a fragment."""
    random = np.random.default_rng(number)
    made = enumerate(MAKERS.values())
    return pa.table({f"c{each}": make(random, ROWS) for each, make in made})


@pytest.mark.parametrize("fragments", [4, 20, 200])
def test_dataset(fragments: int, tmp_path: Path) -> None:
    """Prints the times to scan, filter and take rows of a dataset."""
    import lance as pylance

    path = str(tmp_path / "dataset")
    for number in range(fragments):
        mode = "append" if number else "create"
        pylance.write_dataset(data(number % 20), path, mode=mode, data_storage_version="2.1")
    random = np.random.default_rng(7)
    rows = np.sort(random.choice(fragments * ROWS, TAKEN, replace=False)).tolist()

    def scan(columns: list[str] | None = None, where: str | None = None) -> int:
        found = lance.open_dataset(path).scan(columns, filter=where).batches()
        return sum(each.num_rows for each in found)

    def their_scan(columns: list[str] | None = None, where: str | None = None) -> int:
        found = pylance.dataset(path).scanner(columns=columns, filter=where).to_batches()
        return sum(each.num_rows for each in found)

    def take() -> pa.Table:
        return lance.open_dataset(path).take(rows)

    def their_take() -> pa.Table:
        return pylance.dataset(path).take(rows)

    named = f"dataset of {fragments} fragments"
    assert scan() == their_scan() == fragments * ROWS
    assert take().equals(their_take())
    compare(f"{named}: scan", scan, their_scan)
    compare(f"{named}: two columns", lambda: scan(TWO), lambda: their_scan(TWO))
    compare(f"{named}: 1,000 random rows", take, their_take)
    for what, where in FILTERS.items():
        assert scan(where=where) == their_scan(where=where)
        mine, theirs = partial(scan, where=where), partial(their_scan, where=where)
        compare(f"{named}: filter of {what}", mine, theirs)
