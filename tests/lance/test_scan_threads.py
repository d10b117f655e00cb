"""Scans whose pages threads decode return the rows and errors of scans without threads."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.support.lance_tables import difference
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg import col
from byteloom.lance import decoding, decoding_plan
from byteloom.lance.decoding import Group

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS, PAGE = 30_000, 1 << 14


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of kilobytes are worth threads, and have several windows and groups."""
    monkeypatch.setattr(decoding, "_WORTH", 0)
    monkeypatch.setattr(decoding, "_LEAST", 0)
    monkeypatch.setattr(decoding, "_MOST", 3 * PAGE)
    monkeypatch.setattr(decoding_plan, "_FIRST", 6 * PAGE)
    monkeypatch.setattr(decoding_plan, "_MOST", 6 * PAGE)


def columns() -> pa.Table:
    """Columns of each layout, of several pages that end at different rows."""
    random = np.random.default_rng(11)
    words = pa.array([f"word {each}" for each in range(9)])
    texts = [f"{each:x}" for each in random.integers(0, 1 << 48, ROWS).tolist()]
    return pa.table(
        {
            "number": random.integers(0, 1_000, ROWS),
            "nulls": pa.array(random.integers(0, 99, ROWS), mask=random.random(ROWS) < 0.1),
            "double": random.random(ROWS),
            "text": texts,
            "few": words.take(pa.array(random.integers(0, 9, ROWS))),
            "list": pa.array([[each, each + 1] for each in range(ROWS)]),
            "struct": pa.array([{"a": each % 7, "b": texts[each]} for each in range(ROWS)]),
            "vector": pa.FixedSizeListArray.from_arrays(random.random(4 * ROWS), 4),
        }
    )


def file_of(folder: Path, table: pa.Table, version: str = "2.2") -> str:
    """A local file of *table* in small pages, since only local files are read by threads."""
    path = folder / "rows.lance"
    path.write_bytes(written(table, version, page_size=PAGE))
    return str(path)


def threads() -> list[threading.Thread]:
    """The threads that scans share."""
    return [each for each in threading.enumerate() if each.name.startswith("byteloom-lance")]


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The thread that decodes each group of pieces, and the first row of the group."""
    found: list[tuple[str, int]] = []
    decode = Group.decode

    def noted(self: Group) -> None:
        found.append((threading.current_thread().name, self.pieces[0].first))
        decode(self)

    monkeypatch.setattr(Group, "decode", noted)
    return found


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_rows_are_those_of_one_thread(version: str, tmp_path: Path) -> None:
    """Whole, in batches of any size, in a range and with a filter, rows are what was written."""
    table = columns()
    with lance.open(file_of(tmp_path, table, version)) as file:
        assert difference(file.scan(threads=2).to_table(), table) is None
        for size in (100, 4_097, 1 << 16):
            batches = list(file.scan(batch_size=size, threads=3).batches())
            assert difference(pa.Table.from_batches(batches, table.schema), table) is None
        part = file.scan(rows=range(777, 25_001), threads=2).to_table()
        assert difference(part, table.slice(777, 25_001 - 777)) is None
        wanted = table.filter(pc.less(table["number"], 10))
        found = file.scan(filter=col("number") < 10, threads=2).to_table()
        assert difference(found, wanted) is None


def outcome(path: str, count: int, **how: Any) -> tuple[int, str]:
    """The rows before the first error, and the error."""
    rows = 0
    with lance.open(path, **how) as file:
        try:
            for batch in file.scan(batch_size=1_000, threads=count).batches():
                rows += batch.num_rows
        except ByteloomError as error:
            return rows, str(error)
    return rows, ""


@pytest.mark.parametrize("version", VERSIONS)
def test_damage_is_refused_after_the_same_rows(version: str, tmp_path: Path) -> None:
    """Damage in any page has the same error with threads, after as many rows."""
    table = columns().select(["number", "text", "few"])
    path = tmp_path / "rows.lance"
    sound = bytearray(written(table, version, page_size=PAGE))
    with lance.open(bytes(sound)) as file:
        places = [page.buffers[0][0] for column in file.columns() for page in column.pages]
    refused = 0
    for place in places[:: max(len(places) // 12, 1)]:
        damaged = sound.copy()
        damaged[place : place + 8] = b"\xff" * 8
        path.write_bytes(damaged)
        one = outcome(str(path), 1)
        assert outcome(str(path), 2) == one
        refused += bool(one[1])
    assert refused > 5


def test_an_abandoned_scan_decodes_no_more(tmp_path: Path, decoded: list[tuple[str, int]]) -> None:
    """A scan that is closed, or dropped, after its first batch begins no more groups."""
    path = file_of(tmp_path, columns())
    with lance.open(path) as file:
        for drop in (False, True):
            batches: Any = file.scan(batch_size=100, threads=2).batches()
            next(batches)
            if drop:
                del batches
            else:
                batches.close()
            time.sleep(0.1)
            count = len(decoded)
            time.sleep(0.2)
            assert len(decoded) == count
            assert max(row for _, row in decoded) < ROWS // 2


def test_threads_decode_the_rows_of_a_window_or_two(
    tmp_path: Path, decoded: list[tuple[str, int]]
) -> None:
    """After the first batch a part of the file is decoded, some of it by threads."""
    with lance.open(file_of(tmp_path, columns().select(["text"]))) as file:
        batches: Iterator[pa.RecordBatch] = file.scan(batch_size=10, threads=2).batches()
        next(batches)
        time.sleep(0.2)
        assert 1 < len(decoded) < 9
        assert {name for name, _ in decoded} - {threading.current_thread().name}
        assert sum(batch.num_rows for batch in batches) == ROWS - 10
    assert len(decoded) >= 9


def test_the_end_of_a_scan_never_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector may end a scan while a lock is held that its threads wait for."""
    lock = threading.Lock()
    decode = Group.decode

    def locked(self: Group) -> None:
        is_thread = threading.current_thread() in threads()
        if is_thread and lock.acquire(timeout=30):
            lock.release()
        decode(self)

    monkeypatch.setattr(Group, "decode", locked)
    with lance.open(file_of(tmp_path, columns().select(["text"]))) as file, lock:
        batches = file.scan(batch_size=10, threads=2).batches()
        next(batches)
        cycle: list[Any] = [batches]
        cycle.append(cycle)
        del batches, cycle
        begin = time.monotonic()
        gc.collect()
        assert time.monotonic() - begin < 15


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_reads_on(tmp_path: Path) -> None:
    """A process that is forked in the middle of a scan decodes the rest itself."""
    with lance.open(file_of(tmp_path, columns())) as file:
        batches = file.scan(batch_size=100, threads=2).batches()
        next(batches)
        child = os.fork()
        if not child:
            rows = 0
            try:
                rows = sum(batch.num_rows for batch in batches)
            finally:
                os._exit(rows == ROWS - 100)
        assert sum(batch.num_rows for batch in batches) == ROWS - 100
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_a_scan_without_threads_that_can_start_decodes_all_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no thread can be started, as when Python exits, rows are the same."""

    def refused(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    table = columns()
    with lance.open(file_of(tmp_path, table)) as file:
        assert difference(file.scan(threads=37).to_table(), table) is None


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_scan_after_a_fork_has_threads_of_its_own(tmp_path: Path) -> None:
    """A process that was forked has none of the kept threads, and starts some."""
    path = file_of(tmp_path, columns())
    with lance.open(path) as file:
        file.scan(threads=2).to_table()
    child = os.fork()
    if not child:
        rows = 0
        try:
            with lance.open(path) as file:
                batches = file.scan(batch_size=100, threads=2).batches()
                rows = next(batches).num_rows if not threads() else 0
                rows = rows + sum(batch.num_rows for batch in batches) if threads() else 0
        finally:
            os._exit(rows == ROWS)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_python_exits_while_threads_decode(tmp_path: Path) -> None:
    """A program that ends in the middle of a scan ends at once, with no message."""
    path = file_of(tmp_path, columns())
    program = f"""
from byteloom import lance
from byteloom.lance import decoding, decoding_plan
decoding._WORTH, decoding._LEAST, decoding._MOST = 0, 0, {PAGE}
decoding_plan._FIRST = decoding_plan._MOST = 6 * {PAGE}
file = lance.open({path!r})
batches = file.scan(batch_size=100, threads=2).batches()
print(next(batches).num_rows)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("100\n", "")


def test_datasets_are_scanned_with_threads(tmp_path: Path) -> None:
    """A dataset with deleted rows has the same rows with threads."""
    table = columns()
    dataset = lance.write_dataset(tmp_path / "rows", table)
    dataset = dataset.delete(filter=col("number") < 100)
    wanted = table.filter(pc.greater_equal(table["number"], 100))
    assert difference(dataset.scan(threads=2).to_table(), wanted) is None
    batches = dataset.scan(batch_size=999, threads=2).batches()
    assert difference(pa.Table.from_batches(batches, table.schema), wanted) is None


@pytest.mark.parametrize("count", [-1, 1.5, "2", True])
def test_counts_of_threads_that_are_none_are_refused(count: Any, tmp_path: Path) -> None:
    """The number of threads is a whole number, 0 or more."""
    with lance.open(file_of(tmp_path, columns().select(["few"]))) as file:
        with pytest.raises(FormatError, match=r": threads: found .*, wanted a number of threads"):
            file.scan(threads=count)
        assert len(file.scan(threads=0).to_table()) == ROWS
