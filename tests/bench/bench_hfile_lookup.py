"""Random lookups in a million rows, beside HBase's own reader, which seeks each key by itself.

HBase takes 47 bytes a cell in blocks of 64 KiB here; both verify checksums.  Ours hands over the
cells as Arrow, HBase's the length of each value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.speed import Side, compared, seconds

from byteloom import hfile
from byteloom.hfile import Key

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hbase import HBase

ROWS = 1_000_000
ASKED = 10_000
CACHE = 256 << 20


def cells(count: int) -> pa.Table:
    """Cells of a regular table."""
    numbers = range(count)
    return pa.table(
        {
            "row": pa.array([b"row-%010d" % number for number in numbers], pa.binary()),
            "family": pa.array([b"f"] * count, pa.binary()),
            "qualifier": pa.array([b"q"] * count, pa.binary()),
            "timestamp": pa.array([1_700_000_000_000 + number for number in numbers], pa.int64()),
            "type": pa.array([4] * count, pa.uint8()),
            "value": pa.array([b"value-%07d" % (number * 7) for number in numbers], pa.binary()),
        }
    )


def by_hbase(hbase: HBase, path: Path, keys: list[str], cache: int) -> Side:
    """HBase's own reader, which measures itself."""

    def run() -> float:
        warm = 10 if cache else 3
        return hbase.bench("get", path, keys=keys, cache=cache, warm=warm, rounds=3)["median"]

    return Side(f"HBase {hbase.version}", run, ASKED)


@pytest.mark.bench
@pytest.mark.peer("hbase")
@pytest.mark.parametrize("codec", ["GZ", "NONE"])
def test_random_lookups(tmp_path: Path, hbase: HBase, codec: str) -> None:
    """Prints the time of 10,000 random lookups in one call, without cached blocks and with all."""
    path = tmp_path / "rows"
    hbase.write(path, cells(ROWS), codec=codec)
    numbers = np.random.default_rng(5).integers(0, ROWS, ASKED).tolist()
    rows = [b"row-%010d" % number for number in numbers]
    keys = [
        Key(row, b"f", b"q", 1_700_000_000_000 + n, 4) for row, n in zip(rows, numbers, strict=True)
    ]
    hexed = [key.encode().hex() for key in keys]

    def cold() -> None:
        with hfile.open(path) as file:
            file.lookup(rows)

    what = f"10,000 random rows of a million in an HFile, {codec}"
    compared(
        f"{what}, opening the file included, per row",
        "us",
        Side("byteloom", seconds(cold, 3), ASKED),
        by_hbase(hbase, path, hexed, 0),
    )
    kept = by_hbase(hbase, path, hexed, CACHE)
    with hfile.open(path) as file:
        assert file.lookup(rows)["row"].to_pylist() == rows
        warm = seconds(lambda: file.lookup(rows), 5)
        compared(f"{what}, blocks kept, a row", "us", Side("byteloom", warm, ASKED), kept)
        by_key = seconds(lambda: file.lookup_keys(keys), 5)
        compared(f"{what}, blocks kept, a whole key", "us", Side("byteloom", by_key, ASKED), kept)
