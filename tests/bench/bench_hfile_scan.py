"""Scanning a million cells to Arrow, beside HBase's own warm reader.

47 bytes a cell, blocks of 64 KiB, checksums verified by both, files in the page cache; each run
opens the file anew.  HBase walks over its cells in one thread and hands each out as an object; ours
makes all eight columns of each, with one thread and with one for each processor.  Rates are medians
over bytes as they are uncompressed.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import pytest
from tests.support.hfile_cells import regular

from byteloom import hfile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hbase import HBase

ROWS = 1_000_000
CELL = 47
ROUNDS = 15


def seconds(path: Path, threads: int | None) -> float:
    """How long it takes to open the file and make all its columns."""
    start = perf_counter()
    with hfile.open(path) as file:
        rows = sum(batch.num_rows for batch in file.batches(threads=threads))
    assert rows == ROWS
    return perf_counter() - start


def rate(took: float) -> str:
    """Cells and bytes a second."""
    return f"{ROWS / took / 1e6:.1f} M cells/s ({ROWS * CELL / took / 1e6:,.0f} MB/s)"


@pytest.mark.bench
@pytest.mark.peer("hbase")
@pytest.mark.parametrize("encoding", ["NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"])
@pytest.mark.parametrize("codec", ["NONE", "GZ"])
def test_scan(tmp_path: Path, hbase: HBase, codec: str, encoding: str) -> None:
    """Every cell of a file that HBase wrote, by turns, so that a busy machine slows both."""
    path = tmp_path / "x"
    hbase.write(path, regular(ROWS), codec=codec, encoding=encoding)
    for threads in (None, 1):
        seconds(path, threads)
    hbase.bench("scan", path, warm=12, rounds=1)
    one, many, peer = [], [], []
    for _ in range(ROUNDS):
        peer.append(hbase.bench("scan", path, warm=0, rounds=1)["median"])
        one.append(seconds(path, 1))
        many.append(seconds(path, None))
    ours, theirs = median(many), median(peer)
    print(
        f"\n{codec} {encoding}: byteloom {rate(ours)}, one thread {rate(median(one))}, "
        f"HBase {hbase.version} {rate(theirs)}, "
        f"ratio {theirs / ours:.1f}, one thread {theirs / median(one):.1f}"
    )
