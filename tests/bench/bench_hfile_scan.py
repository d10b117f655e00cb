"""Scanning a million cells to Arrow, beside HBase's own warm reader.

47 bytes a cell, blocks of 64 KiB, checksums verified by both, files in the page cache; each run
opens the file anew.  HBase walks over its cells in one thread and hands each out as an object; ours
makes all eight columns of each, with one thread and with one for each processor.  Rates are medians
over bytes as they are uncompressed.  The last ratio is of time on a processor, one thread each,
which says more on a machine with neighbours.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import pytest
from tests.support.hfile_cells import regular

from byteloom import hfile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.hbase import HBase

ROWS = 1_000_000
CELL = 47
TURNS, IN_A_ROW = 7, 3


def scan(path: Path, threads: int | None) -> None:
    """Open the file and make all its columns."""
    with hfile.open(path) as file:
        assert sum(batch.num_rows for batch in file.batches(threads=threads)) == ROWS


def seconds(path: Path, threads: int | None, clock: Callable[[], float]) -> float:
    """How long that takes, the median of as many rounds in a row as HBase is given."""
    times = []
    for _ in range(IN_A_ROW):
        start = clock()
        scan(path, threads)
        times.append(clock() - start)
    return median(times)


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
        scan(path, threads)
    hbase.bench("scan", path, warm=12, rounds=1)
    many, one, busy, peer, peer_busy = [], [], [], [], []
    for _ in range(TURNS):
        told = hbase.bench("scan", path, warm=0, rounds=IN_A_ROW)
        peer.append(told["median"])
        peer_busy.append(told["cpu"])
        many.append(seconds(path, None, perf_counter))
        one.append(seconds(path, 1, perf_counter))
        busy.append(seconds(path, 1, process_time))
    theirs = median(peer)
    print(
        f"\n{codec} {encoding}: byteloom {rate(median(many))}, one thread {rate(median(one))}, "
        f"HBase {hbase.version} {rate(theirs)}; ratio {theirs / median(many):.1f}, "
        f"one thread {theirs / median(one):.1f}, on a processor "
        f"{median(peer_busy) / median(busy):.1f}"
    )
