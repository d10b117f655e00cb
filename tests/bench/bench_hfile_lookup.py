"""Random lookups in a million rows, beside HBase's own reader, which seeks each key by itself.

HBase takes 47 bytes a cell in blocks of 64 KiB here; both verify checksums.  Ours hands over the
cells as Arrow, HBase's the length of each value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.timing import best

from byteloom import hfile
from byteloom.hfile.keys import Key

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


def tell(what: str, ours: float, peer: float) -> None:
    """Print both times, in microseconds a key, and the ratio."""
    ours, peer = ours / ASKED * 1e6, peer / ASKED * 1e6
    print(f"\n{what}: byteloom {ours:.2f} us, HBase {peer:.2f} us, ratio {peer / ours:.1f}")


@pytest.mark.bench
@pytest.mark.peer("hbase")
@pytest.mark.parametrize("codec", ["GZ", "NONE"])
def test_random_lookups(tmp_path: Path, hbase: HBase, codec: str) -> None:
    """10,000 random rows in one call: with no block at hand, and with all of them kept."""
    path = tmp_path / "rows"
    hbase.write(path, cells(ROWS), codec=codec)
    numbers = np.random.default_rng(5).integers(0, ROWS, ASKED).tolist()
    rows = [b"row-%010d" % number for number in numbers]
    keys = [
        Key(row, b"f", b"q", 1_700_000_000_000 + n, 4) for row, n in zip(rows, numbers, strict=True)
    ]
    hexed = [key.encode().hex() for key in keys]
    cold_peer = hbase.bench("get", path, keys=hexed, cache=0, warm=3, rounds=5)
    warm_peer = hbase.bench("get", path, keys=hexed, cache=CACHE, warm=10, rounds=7)
    with hfile.open(path) as file:
        assert file.lookup(rows)["row"].to_pylist() == rows
        warm = best(lambda: file.lookup(rows), 9)
        by_key = best(lambda: file.lookup_keys(keys), 5)

    def cold() -> None:
        with hfile.open(path) as file:
            file.lookup(rows)

    tell(f"{codec}, blocks kept", warm, warm_peer["median"])
    tell(f"{codec}, blocks kept, whole keys", by_key, warm_peer["median"])
    tell(f"{codec}, opened anew", best(cold, 5), cold_peer["median"])
