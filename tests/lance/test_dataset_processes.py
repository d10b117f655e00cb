"""Several processes change one Lance dataset, and some of them are killed while they do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

APPEND = """
import sys
import pyarrow as pa
from byteloom import lance
place, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for number in range(first, first + count):
    lance.write_dataset(place, pa.table({"id": pa.array([number] * 50)}), mode="append")
    print(number, flush=True)
"""


def writer(place: Path, first: int, count: int) -> subprocess.Popen[str]:
    """Start a process that appends 50 rows *count* times, and says which it has appended."""
    command = [sys.executable, "-c", APPEND, str(place), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def numbers(place: Path) -> list[int]:
    """The numbers of a dataset's rows, after a check that each comes 50 times."""
    found = sorted(lance.open_dataset(place).to_table()["id"].to_pylist())
    assert found == [each for each in sorted(set(found)) for _ in range(50)]
    return found[::50]


def test_two_processes_lose_no_rows(tmp_path: Path) -> None:
    """Appends of two processes at a time each become a version, and no row is lost."""
    place = tmp_path / "d"
    lance.write_dataset(place, pa.table({"id": pa.array([-1] * 50)}))
    writers = [writer(place, 0, 4), writer(place, 100, 4)]
    for each in writers:
        each.communicate(timeout=300)
        assert each.returncode == 0
    assert numbers(place) == [-1, *range(4), *range(100, 104)]
    assert lance.open_dataset(place).versions == list(range(1, 10))


@pytest.mark.parametrize("delay", [0.0, 0.01])
def test_a_killed_writer_leaves_whole_versions(delay: float, tmp_path: Path) -> None:
    """A killed writer leaves all reported appends, each whole, and the next writer can go on."""
    place = tmp_path / "d"
    lance.write_dataset(place, pa.table({"id": pa.array([-1] * 50)}))
    process = writer(place, 0, 10_000)
    assert process.stdout is not None
    said = int(process.stdout.readline())
    time.sleep(delay)
    os.kill(process.pid, signal.SIGKILL)
    said = max([said, *(int(each) for each in process.stdout)])
    process.wait(300)
    process.stdout.close()
    found = numbers(place)
    assert found[: said + 2] == list(range(-1, said + 1))
    assert len(found) <= said + 3
    for version in lance.open_dataset(place).versions:
        assert lance.open_dataset(place, version=version).num_rows == 50 * version
    lance.write_dataset(place, pa.table({"id": pa.array([99_999] * 50)}), mode="append")
    assert numbers(place) == [*found, 99_999]
