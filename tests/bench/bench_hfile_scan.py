"""Scanning a million cells to Arrow, beside HBase's own warm reader.

47 bytes a cell, blocks of 64 KiB, checksums verified by both, files in the page cache; each run
opens the file again.  HBase walks over its cells in one thread and hands each out as an object;
ours makes all eight columns of each, with one thread and with one for each processor.  Time of a
processor, one thread each, says more on a machine with neighbours.
"""

from __future__ import annotations

from functools import partial
from time import process_time
from typing import TYPE_CHECKING

import pytest
from tests.support.hfile_cells import regular
from tests.support.speed import Side, compared, seconds

from byteloom import hfile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hbase import HBase

ROWS = 1_000_000
IN_A_ROW = 3


def scan(path: Path, threads: int | None) -> None:
    """Open the file and make all its columns."""
    with hfile.open(path) as file:
        assert sum(batch.num_rows for batch in file.batches(threads=threads)) == ROWS


@pytest.mark.bench
@pytest.mark.peer("hbase")
@pytest.mark.parametrize("encoding", ["NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"])
@pytest.mark.parametrize("codec", ["NONE", "GZ"])
def test_scan(tmp_path: Path, hbase: HBase, codec: str, encoding: str) -> None:
    """Prints the time to scan every cell of a file by HBase, in turns with HBase's reader."""
    path = tmp_path / "x"
    hbase.write(path, regular(ROWS), codec=codec, encoding=encoding)
    hbase.bench("scan", path, warm=12, rounds=1)

    def by_hbase() -> float:
        return hbase.bench("scan", path, warm=0, rounds=IN_A_ROW)["median"]

    def on_a_processor() -> float:
        return hbase.bench("scan", path, warm=0, rounds=IN_A_ROW)["cpu"]

    def busy() -> float:
        start = process_time()
        scan(path, 1)
        return process_time() - start

    what, millions = f"scan of a million cells of an HFile, {codec}, {encoding}", ROWS / 1e6
    peer = Side(f"HBase {hbase.version}", by_hbase, millions)
    for name, threads in (("", None), (", one thread", 1)):
        ours = Side("byteloom", seconds(partial(scan, path, threads), IN_A_ROW), millions)
        compared(f"{what}{name}", "M cells/s", ours, peer)
    peer = Side(f"HBase {hbase.version}", on_a_processor, millions)
    compared(f"{what}, time of a processor", "M cells/s", Side("byteloom", busy, millions), peer)
