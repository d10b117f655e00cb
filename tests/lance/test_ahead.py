"""Scans whose pages threads decode ahead return the rows and errors of scans without threads."""

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
from tests.support.written_lance import HARD, VERSIONS, hard, written

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg import col
from byteloom.lance import ahead
from byteloom.lance import threads as kept
from byteloom.lance.pages20 import leaf
from byteloom.lance.pages21 import Leaf21
from byteloom.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS, PAGE = 30_000, 1 << 14


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of kilobytes are worth threads, with several pages in a run."""
    monkeypatch.setattr(ahead, "_WORTH", 0)
    monkeypatch.setattr(ahead, "_LEAST", 0)
    monkeypatch.setattr(ahead, "_LEAST_PART", 3 * PAGE)
    monkeypatch.setattr(ahead, "_PART", 3 * PAGE)
    monkeypatch.setattr(leaf, "_UNIT", PAGE)
    monkeypatch.setattr(kept, "_IDLE", 0.1)


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
    """The threads of scans that run."""
    return [each for each in threading.enumerate() if each.name == kept.NAME]


def check_none_left() -> None:
    """Threads without a task end."""
    end = time.monotonic() + 20
    while threads() and time.monotonic() < end:
        time.sleep(0.01)
    assert not threads()


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
    check_none_left()


@pytest.mark.parametrize("name", HARD)
def test_columns_of_every_kind_are_what_was_written(name: str, tmp_path: Path) -> None:
    """Nulls, nesting and encodings of every kind are the same with threads."""
    table = hard(name)
    path = tmp_path / "hard.lance"
    path.write_bytes(written(table, "2.2", page_size=table.nbytes // 9 + 1))
    with lance.open(str(path)) as file:
        assert difference(file.scan(threads=2).to_table(), table) is None
        batches = pa.Table.from_batches(file.scan(batch_size=77, threads=2).batches(), table.schema)
        assert difference(batches, table) is None


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
    check_none_left()


def test_limits_are_obeyed(tmp_path: Path) -> None:
    """A page that is larger than limits allow is refused with the same error."""
    path = file_of(tmp_path, columns().select(["text"]))
    limits = Limits(decompressed_size=5_000)
    one = outcome(path, 1, limits=limits)
    assert "limits.decompressed_size" in one[1]
    assert outcome(path, 2, limits=limits) == one


def test_an_abandoned_scan_leaves_no_thread(tmp_path: Path) -> None:
    """A scan that is closed, or dropped, after its first batch ends its threads."""
    path = file_of(tmp_path, columns())
    with lance.open(path) as file:
        batches: Any = file.scan(batch_size=100, threads=2).batches()
        next(batches)
        assert threads()
        del batches
        check_none_left()
        batches = file.scan(batch_size=100, threads=2).batches()
        next(batches)
    batches.close()
    check_none_left()


def test_few_pages_are_decoded_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first batch, no more runs were begun than one and one for each thread."""
    runs: list[range] = []
    decoded = Leaf21.decoded

    def counted(self: Leaf21, first: int, stop: int) -> list[tuple[int, pa.Array]]:
        runs.append(range(first, stop))
        return decoded(self, first, stop)

    monkeypatch.setattr(Leaf21, "decoded", counted)
    with lance.open(file_of(tmp_path, columns().select(["text"]))) as file:
        batches: Iterator[pa.RecordBatch] = file.scan(batch_size=10, threads=2).batches()
        next(batches)
        time.sleep(0.2)
        assert 1 < len(runs) <= 3
        assert sum(batch.num_rows for batch in batches) == ROWS - 10
    assert len(runs) > 6
    assert sorted(row for run in runs for row in run) == list(range(ROWS))


def test_the_scan_decodes_a_later_run_instead_of_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a thread decodes the run that is needed next, the scan decodes the one after it."""
    decoded = Leaf21.decoded
    has_begun, has_helped = threading.Event(), threading.Event()

    def watched(self: Leaf21, first: int, stop: int) -> list[tuple[int, pa.Array]]:
        if threading.current_thread().name == kept.NAME:
            has_begun.set()
            has_helped.wait(timeout=30)
        elif first:
            has_helped.set()
        else:
            has_begun.wait(timeout=30)
        return decoded(self, first, stop)

    monkeypatch.setattr(Leaf21, "decoded", watched)
    with lance.open(file_of(tmp_path, columns().select(["text"]))) as file:
        batches: Iterator[pa.RecordBatch] = file.scan(batch_size=ROWS // 2, threads=2).batches()
        begin = time.monotonic()
        next(batches)
        assert time.monotonic() - begin < 25
        assert has_helped.is_set()
        assert sum(batch.num_rows for batch in batches) == ROWS - ROWS // 2


def test_the_end_of_a_scan_never_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector may end a scan while a lock is held that its threads wait for."""
    lock = threading.Lock()
    decoded = Leaf21.decoded

    def locked(self: Leaf21, first: int, stop: int) -> list[tuple[int, pa.Array]]:
        if first and lock.acquire(timeout=30):
            lock.release()
        return decoded(self, first, stop)

    monkeypatch.setattr(Leaf21, "decoded", locked)
    with lance.open(file_of(tmp_path, columns().select(["text"]))) as file:
        with lock:
            batches = file.scan(batch_size=10, threads=2).batches()
            next(batches)
            cycle: list[Any] = [batches]
            cycle.append(cycle)
            del batches, cycle
            begin = time.monotonic()
            gc.collect()
            assert time.monotonic() - begin < 15
            assert threads()
        check_none_left()


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


def test_a_scan_does_without_threads_that_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no thread can be started, as when Python exits, the scan decodes all itself."""

    def refused(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    monkeypatch.setattr(kept, "_OF_PROCESS", {})
    table = columns()
    with lance.open(file_of(tmp_path, table)) as file:
        assert difference(file.scan(threads=2).to_table(), table) is None


def test_the_next_scan_has_the_same_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads are kept for a while, and do the work of the scans that follow."""
    check_none_left()
    monkeypatch.setattr(kept, "_OF_PROCESS", {})
    monkeypatch.setattr(kept, "_IDLE", 3)
    with lance.open(file_of(tmp_path, columns())) as file:
        file.scan(threads=3).to_table()
        first = set(threads())
        assert 1 <= len(first) <= 2
        for _ in range(5):
            file.scan(threads=3).to_table()
            assert first <= set(threads())
            assert len(threads()) <= 2
            first = set(threads())
    check_none_left()


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
from byteloom.lance import ahead, threads
ahead._WORTH = ahead._LEAST = 0
ahead._LEAST_PART = ahead._PART = {PAGE}
threads._IDLE = 600
file = lance.open({path!r})
batches = file.scan(batch_size=100, threads=2).batches()
print(next(batches).num_rows, len(threads._OF_PROCESS))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("100 1\n", "")


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


def test_values_of_one_page_are_read_by_several_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of values that are stored as Arrow has them end with batches, whatever the pages."""
    runs: list[range] = []
    decoded = leaf.LeafReader.decoded

    def counted(self: leaf.LeafReader, first: int, stop: int) -> list[tuple[int, pa.Array]]:
        runs.append(range(first, stop))
        return decoded(self, first, stop)

    monkeypatch.setattr(leaf.LeafReader, "decoded", counted)
    random = np.random.default_rng(3)
    nulls = pa.array(random.integers(0, 99, ROWS), mask=random.random(ROWS) < 0.1)
    table = pa.table({"number": random.integers(0, 99, ROWS), "nulls": nulls})
    for name in table.column_names:
        part = table.select([name])
        path = tmp_path / f"{name}.lance"
        path.write_bytes(written(part, "2.0", page_size=5 * ROWS))
        with lance.open(str(path)) as file:
            assert len(file.columns([0])[0].pages) <= 2
            for rows in (range(ROWS), range(777, 25_001)):
                runs.clear()
                batches = file.scan(rows=rows, batch_size=1_000, threads=2).batches()
                found = pa.Table.from_batches(batches, part.schema)
                assert difference(found, part.slice(rows.start, len(rows))) is None
                assert len(runs) == round(8 * len(rows) / (3 * PAGE))
                assert all((each.start - rows.start) % 1_000 == 0 for each in runs)


@pytest.mark.parametrize(("worth", "has"), [(8 * ROWS, True), (8 * ROWS + 1, False)])
def test_few_bytes_are_decoded_without_threads(
    worth: int, has: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads decode where the rows are as many bytes as are worth it."""
    check_none_left()
    monkeypatch.setattr(ahead, "_WORTH", worth)
    with lance.open(file_of(tmp_path, columns().select(["double"]), "2.0")) as file:
        file.scan(threads=2).to_table()
        assert bool(threads()) == has
    check_none_left()


@pytest.mark.parametrize(("name", "has"), [("number", False), ("nulls", True), ("double", True)])
def test_packed_integers_are_decoded_without_threads(
    name: str, has: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Integers of few bits are decoded in less time than threads cost; with nulls they are not."""
    check_none_left()
    monkeypatch.setattr(ahead, "_WORTH", 8 * ROWS)
    table = columns().select([name])
    with lance.open(file_of(tmp_path, table)) as file:
        assert difference(file.scan(threads=2).to_table(), table) is None
        assert bool(threads()) == has
    check_none_left()
