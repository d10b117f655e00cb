"""A scan of an HFile that is ended early does not wait for its threads.

The scan's own work is replaced by one that waits, which no public interface offers.
"""

from __future__ import annotations

import gc
import threading
import time
from itertools import count
from typing import TYPE_CHECKING, Any

from byteloom import hfile
from byteloom.hfile import HFileWriter
from byteloom.hfile.cells import walked

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def threads() -> list[threading.Thread]:
    """The threads of scans that run."""
    return [each for each in threading.enumerate() if each.name.startswith("byteloom-scan")]


def test_the_end_of_a_scan_never_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector may end a scan while a lock is held that its threads wait for."""
    path = tmp_path / "a.hfile"
    value = bytes(1 << 20)
    with HFileWriter(path, block_size=1 << 20) as writer:
        for row in range(64):
            writer.add(b"row-%04d" % row, value, family=b"f", qualifier=b"", timestamp=9)
    lock, runs = threading.Lock(), count()

    def locked(*given: Any) -> Any:
        if next(runs) > 1 and lock.acquire(timeout=30):  # the scan waits for the first two
            lock.release()
        return walked(*given)

    monkeypatch.setattr("byteloom.hfile.scan.walked", locked)
    with hfile.open(path) as file, lock:
        batches = iter(file.batches(threads=2))
        rows = next(batches).num_rows + next(batches).num_rows
        assert rows < 64
        assert threads()
        cycle: list[Any] = [batches]
        cycle.append(cycle)
        del batches, cycle
        begin = time.monotonic()
        gc.collect()
        assert time.monotonic() - begin < 15
    end = time.monotonic() + 20
    while threads() and time.monotonic() < end:
        time.sleep(0.01)
    assert not threads()
