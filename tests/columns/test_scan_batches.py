"""Files that are scanned a window at a time give the rows and the errors of whole ones.

Windows of a few bytes are not to be had through the command line.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.codegen.test_recorded_scanners import mixed_bytes
from tests.codegen.test_scanners import plain_bytes
from tests.support.scanners import generated, outcome, rows_of

from byteloom.columns.record_columns import batch_of
from byteloom.columns.scan_batches import batches
from byteloom.errors import LimitExceeded, Truncated
from byteloom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

SPECS = Path(__file__).parents[1]
COUNTED = """
meta: {id: counted, endian: be}
seq:
  - {id: title, type: strz, encoding: UTF-8}
  - {id: inner, type: inner}
types:
  inner:
    seq:
      - {id: count, type: u2}
      - {id: entries, type: entry, repeat: expr, repeat-expr: count}
  entry:
    seq:
      - {id: name, type: strz, encoding: UTF-8}
      - {id: n, type: u2, valid: {max: 999}}
"""

NUMBERED = """
meta: {id: numbered, endian: be}
seq:
  - {id: title, type: strz, encoding: UTF-8}
  - {id: entries, type: entry(_index), repeat: %s}
types:
  entry:
    params: [{id: number, type: u4}]
    seq: [{id: name, type: strz, encoding: UTF-8}, {id: n, type: u2, valid: {max: 999}}]
"""


def counted_bytes(seed: int, rows: int) -> bytes:
    """Return a file of COUNTED."""
    rng = random.Random(seed)
    entries = (
        b"n" * rng.randrange(30) + b"\0" + rng.randrange(999).to_bytes(2) for _ in range(rows)
    )
    return b"title of a file\0" + rows.to_bytes(2) + b"".join(entries)


def entries_bytes(seed: int, rows: int) -> bytes:
    """Return a file of ``entries.ksy``."""
    rng = random.Random(seed)
    sizes = [(rng.randrange(9), rng.randrange(20)) for _ in range(rows)]
    return b"".join(
        key.to_bytes(4, "little") + value.to_bytes(4, "little") + rng.randbytes(key + value + 1)
        for key, value in sizes
    )


class Subject:
    """A spec whose records stream, its files, and the way to its records."""

    def __init__(
        self, spec: Path, name: str, path: tuple[str, ...], make: Any, folder: Path
    ) -> None:
        """Generate the modules."""
        self.records, self.scans = generated(spec, folder)
        self.scan, self.path, self.make = vars(self.scans)[f"_{name.upper()}"], path, make
        self.top = getattr(self.records, path[0].capitalize())
        self.name = name

    def whole(self, data: bytes) -> Iterator[pa.RecordBatch]:
        """Read all records of a file."""
        if len(self.path) == 1:
            yield getattr(self.scans, f"scan_{self.name}")(data, binary="binary")
            return
        value = self.top.from_bytes(data)
        for each in (*self.path[1:], self.name):
            value = getattr(value, each)
        yield batch_of(self.scan.columns, value, "binary")

    def whole_rows(self, data: bytes) -> list[Any]:
        """Return the rows of the whole file."""
        return [row for each in self.whole(data) for row in rows_of(each)]

    def rows(
        self, data: bytes, window: int, rows: int, limits: Limits = DEFAULT_LIMITS
    ) -> list[Any]:
        """Return the rows of windows."""

        def fetch(at: int, size: int) -> bytes:
            assert 0 <= at <= at + size <= len(data)
            return data[at : at + size]

        found = batches(
            self.scan,
            self.top.read,
            self.path,
            fetch,
            len(data),
            self.whole,
            limits=limits,
            window=window,
            rows=rows,
        )
        return [row for each in found if each.num_rows <= rows for row in rows_of(each)]


@pytest.fixture(scope="module", params=["mixed", "plain", "entries", "counted"])
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Return records read one by one, of one size, by a loop, and counted."""
    folder = tmp_path_factory.mktemp("batches")
    (folder / "counted.ksy").write_text(COUNTED)
    specs: dict[str, tuple[Path, str, tuple[str, ...], Callable[[int, int], bytes]]] = {
        "mixed": (SPECS / "scanners/mixed.ksy", "items", ("mixed",), mixed_bytes),
        "plain": (SPECS / "scanners/plain.ksy", "ticks", ("plain",), plain_bytes),
        "entries": (SPECS / "bench/scanners/entries.ksy", "entries", ("entries",), entries_bytes),
        "counted": (folder / "counted.ksy", "entries", ("counted", "inner"), counted_bytes),
    }
    return Subject(*specs[request.param], folder / f"batches_{request.param}")


@given(
    seed=st.integers(0, 2**32),
    count=st.integers(0, 12),
    window=st.integers(1, 90),
    rows=st.integers(1, 9),
)
def test_windows_of_any_size_give_the_rows_of_the_file(
    subject: Subject, seed: int, count: int, window: int, rows: int
) -> None:
    """Records that windows cut, and batches of few rows, are the rows of the whole file."""
    data = subject.make(seed, count)
    found = subject.rows(data, window, rows)
    assert found == subject.whole_rows(data)
    assert len(found) == count


@given(
    seed=st.integers(0, 2**32),
    window=st.integers(1, 90),
    where=st.floats(0, 1),
    bit=st.integers(0, 7),
)
def test_damage_in_a_window_is_the_error_of_the_file(
    subject: Subject, seed: int, window: int, where: float, bit: int
) -> None:
    """A flipped bit and a cut are refused with the path and the place that the file gives them."""
    data = subject.make(seed, 4)
    at = int(where * (len(data) - 1))
    for damaged in (data[:at], data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]):
        found = outcome(partial(subject.rows, damaged, window, 3))
        assert found == outcome(partial(subject.whole_rows, damaged))


def test_a_count_over_the_file_is_refused_before_records_are_read(subject: Subject) -> None:
    """A count of more records than the file has bytes for is refused where the whole file does."""
    if subject.path[-1] != "inner":
        data = subject.make(1, 3)[:-1]
        assert outcome(lambda: subject.rows(data, 9, 2))[0] is Truncated
        return
    data = b"t\0\xff\xffab\0\0\1"
    error = outcome(lambda: subject.rows(data, 4, 2))
    assert error == outcome(lambda: list(subject.whole(data)))
    assert error[2] == "counted.inner.entries"


@pytest.mark.parametrize("is_read_by_class", [False, True])
def test_a_count_of_more_records_than_there_are_is_an_error_of_a_field(
    is_read_by_class: bool, tmp_path: Path
) -> None:
    """A file that ends between two of the counted records has the error of the whole file."""
    spec = tmp_path / "counted.ksy"
    field = "      - {id: none, size: 0, process: xor(1)}\n" * is_read_by_class
    spec.write_text(COUNTED + field)
    folder = tmp_path / f"ended_{is_read_by_class}"
    subject = Subject(spec, "entries", ("counted", "inner"), counted_bytes, folder)
    assert bool(subject.scan.attribute) == is_read_by_class
    data = b"t\0\0\3" + b"abc\0\0\1" * 2
    wanted = outcome(lambda: subject.whole_rows(data))
    assert wanted[:1] + wanted[2:] == (Truncated, "counted.inner.entries[2].name", 16)
    for window in range(1, 18):
        for rows in range(1, 4):
            assert outcome(partial(subject.rows, data, window, rows)) == wanted


@pytest.mark.parametrize("repeat", ["eos", "expr, repeat-expr: 5"])
def test_records_that_get_their_number_are_read_from_the_whole_file(
    repeat: str, tmp_path: Path
) -> None:
    """Where only the class around can read records, the file is fetched once more, as a whole."""
    spec = tmp_path / "numbered.ksy"
    spec.write_text(NUMBERED % repeat)
    records, scans = generated(spec, tmp_path / f"numbered_{repeat[:3]}")
    data = b"t\0" + b"".join(b"n\0" + number.to_bytes(2) for number in range(5))
    asked = list[tuple[int, int]]()

    def fetch(at: int, size: int) -> bytes:
        asked.append((at, size))
        return data[at : at + size]

    def whole(fetched: bytes) -> Iterator[pa.RecordBatch]:
        entries = records.Numbered.from_bytes(fetched).entries
        yield batch_of(scans._ENTRIES.columns, entries, "binary")

    read, path = records.Numbered.read, ("numbered",)
    found = list(batches(scans._ENTRIES, read, path, fetch, len(data), whole, window=6))
    assert [rows_of(each) for each in found] == [[{"name": "n", "n": n} for n in range(5)]]
    assert asked == [(0, 6), (0, 22)]


@pytest.mark.parametrize("objects", range(2, 12))
def test_rows_before_a_limit_are_yielded(objects: int, tmp_path: Path) -> None:
    """More records than the limits allow give the rows before them, and an error."""
    records, scans = generated(SPECS / "scanners/mixed.ksy", tmp_path / "limited")
    data, found = mixed_bytes(3, 9), list[Any]()
    whole = rows_of(next(iter(batches_of(scans, records, data, DEFAULT_LIMITS))))
    limits = replace(DEFAULT_LIMITS, objects=objects)
    with pytest.raises(LimitExceeded, match=r"limits\.objects"):
        found.extend(
            row for each in batches_of(scans, records, data, limits) for row in rows_of(each)
        )
    assert found == whole[: len(found)]


def batches_of(scans: Any, records: Any, data: bytes, limits: Limits) -> Iterator[Any]:
    """Yield the batches of the mixed records in *data*."""
    yield from batches(
        scans._ITEMS,
        records.Mixed.read,
        ("mixed",),
        lambda at, size: data[at : at + size],
        len(data),
        lambda _: iter(()),
        limits=limits,
    )


@pytest.mark.parametrize("repeat", ["eos", "expr, repeat-expr: count"])
def test_nesting_is_limited_as_in_the_whole_file(repeat: str, tmp_path: Path) -> None:
    """Scanned records, and those inside them, are levels, though no type contains itself."""
    spec, folder = tmp_path / "counted.ksy", tmp_path / f"nested_{repeat[:3]}"
    text = COUNTED.replace("expr, repeat-expr: count", repeat)
    last = "{seq: [{id: none, size: 0, process: xor(1)}]}"
    spec.write_text(f"{text}      - {{id: last, type: last}}\n  last: {last}\n")
    subject = Subject(spec, "entries", ("counted", "inner"), counted_bytes, folder)
    assert subject.scan.attribute
    data = counted_bytes(1, 3)
    for nesting in range(1, 4):
        limits = Limits(nesting=nesting)
        wanted = outcome(partial(subject.top.from_bytes, data, limits=limits))
        assert "limits.nesting" in wanted[1]
        assert outcome(partial(subject.rows, data, 90, 9, limits)) == wanted
    assert subject.rows(data, 90, 9, Limits(nesting=4)) == subject.whole_rows(data)
