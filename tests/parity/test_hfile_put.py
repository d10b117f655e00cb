"""Putting HFile cells writes what the record class writes, and refuses what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.columns.loops import DONE, FULL, REFUSED
from byteloom.columns.puts import SLACK
from byteloom.errors import FormatError
from byteloom.hfile.keys import order_of_cells
from byteloom_generated.hfile.cell_scan import PUT_CELLS

FLAGS = PUT_CELLS.parameters
NAMES = [each.name for each in PUT_CELLS.columns]
PLAIN = {"row": b"r", "family": b"", "qualifier": b"", "timestamp": (1 << 63) - 1, "type": 4,
         "value": b"", "tags": b"", "mvcc": 0}  # fmt: skip
FORM = dict.fromkeys(FLAGS, 1)

few = st.sampled_from((b"", b"a", b"b", b"ab", b"a longer name"))
words = st.integers(-(1 << 63), (1 << 63) - 1) | st.sampled_from((0, 1, -112, -113, 127, 128))
tags = st.lists(st.binary(min_size=1, max_size=5), max_size=2).map(
    lambda found: b"".join(len(each).to_bytes(2, "big") + each for each in found)
)
forms = st.fixed_dictionaries(dict.fromkeys(FLAGS, st.integers(0, 1)))


def rows_of(types: st.SearchStrategy[int], tags: st.SearchStrategy[bytes]) -> Any:
    """Rows of columns, alike enough to be equal and out of order at times."""
    return st.lists(
        st.fixed_dictionaries(
            {"row": few, "family": few, "qualifier": few, "timestamp": words, "type": types,
             "value": st.binary(max_size=20), "tags": tags, "mvcc": words}
        ),
        max_size=5,
    )  # fmt: skip


SOUND = rows_of(st.sampled_from((0, 4, 8, 10, 12, 14, 255)), tags)
ANY = rows_of(st.integers(0, 255), tags | st.binary(max_size=6))


def arrays(rows: list[dict[str, Any]]) -> list[Any]:
    """The columns in the form that a put takes."""
    found = []
    for column in PUT_CELLS.columns:
        values = [row[column.name] for row in rows]
        if column.form == "view":
            ends = np.cumsum([0, *map(len, values)], dtype=np.int64)
            found += [np.frombuffer(b"".join(values), np.uint8), ends]
        else:
            found.append(np.array(values, column.form))
    return found


class Buffer:
    """A run of cells being put, in a buffer with room for some bytes and records."""

    def __init__(self, room: int, records: int) -> None:
        """Begin without any."""
        self.data = np.zeros(room + SLACK, np.uint8)
        self.starts = np.zeros(records + 2, np.int64)
        self.shared = np.zeros(records + 2, np.uint8)
        self.state = PUT_CELLS.state()

    def put(self, rows: list[dict[str, Any]], form: dict[str, int], first: int = 0) -> Any:
        """Put rows from *first* on; return how it ended, and the next row."""
        fill: Any = PUT_CELLS.fill
        flags = [form[name] for name in FLAGS]
        code, row, _ = fill(
            self.data, self.starts, self.shared, self.state, first, len(rows), *flags,
            *arrays(rows),
        )  # fmt: skip
        return code, row

    @property
    def cells(self) -> bytes:
        """The cells so far."""
        return self.data[: self.starts[self.state[0]]].tobytes()

    def forget(self) -> bytes:
        """Move the last cell to the front; return the cells before it."""
        count = int(self.state[0])
        at, end = self.starts[count - 1], self.starts[count]
        left = self.data[:at].tobytes()
        self.data[: end - at] = self.data[at:end].copy()
        self.starts[:2] = 0, end - at
        self.state[0] = 1
        return left


def by_record(rows: list[dict[str, Any]], form: dict[str, int]) -> tuple[bytes, str]:
    """The bytes that the record class writes up to the first error, and that error's words."""
    found = b""
    for number, row in enumerate(rows):
        try:
            found += PUT_CELLS.make(*(row[name] for name in NAMES), **form).to_bytes()
        except FormatError:
            return found, str(PUT_CELLS.refusal([row[name] for name in NAMES], number, form))
    return found, ""


@given(SOUND | ANY, forms)
@example([PLAIN | {"row": bytes(32767)}], FORM)
@example([PLAIN | {"row": bytes(32768)}], FORM)
@example([PLAIN | {"family": bytes(127)}], FORM)
@example([PLAIN | {"family": bytes(128)}], FORM)
@example([PLAIN | {"tags": b"\xff\xfd" + bytes(65533)}], FORM)
@example([PLAIN | {"tags": b"\xff\xfe" + bytes(65534)}], FORM)
@example([PLAIN | {"family": b"f"}], FORM | {"has_columns": 0})
@example([PLAIN | {"mvcc": 1}], FORM | {"is_mvcc_wide": 0})
def test_cells_become_the_bytes_of_their_records(
    rows: list[dict[str, Any]], form: dict[str, int]
) -> None:
    """A put writes the bytes of the records, or refuses the first bad cell in the same words."""
    buffer = Buffer(1 << 18, 8)
    code, row = buffer.put(rows, form)
    error = ""
    if code == REFUSED:
        values = [rows[row][name] for name in NAMES]
        error = str(PUT_CELLS.refusal(values, row, form))
    else:
        assert (code, row) == (DONE, len(rows))
        assert by_record(rows, form) == (buffer.cells, "")
    assert by_record(rows, form)[1] == error


def ranks(before: bytes, key: bytes) -> int:
    """How many parts of the sort order two keys have in common."""
    parts = [order_of_cells(each) for each in (before, key)]
    (row, is_last, *rest), (row_2, is_last_2, *rest_2) = parts
    pairs = [(row, row_2), (is_last, is_last_2), *zip(rest, rest_2, strict=False)]
    same = [one == two for one, two in pairs] + [False]
    return 6 if parts[0] == parts[1] else same.index(False)


def test_the_parts_of_a_key_that_it_has_in_common_are_counted() -> None:
    """A put counts how many parts of the sort order a key shares with the one before."""
    key = {"row": b"r", "family": b"f", "qualifier": b"q", "timestamp": 5, "type": 4}
    changes: list[dict[str, Any]] = [
        {}, {}, {"type": 0}, {"timestamp": 3}, {"qualifier": b"z"}, {"family": b"g"},
        {"family": b"", "qualifier": b"", "type": 0}, {"row": b"s"},
    ]  # fmt: skip
    rows = [PLAIN | key | change for change in changes]
    buffer = Buffer(1 << 10, 8)
    assert buffer.put(rows, FORM) == (DONE, 8)
    assert buffer.shared[:8].tolist() == [0, 6, 5, 4, 3, 2, 1, 0]
    assert buffer.state[1] == -1


@given(SOUND.filter(lambda rows: len(rows) > 1))
def test_the_first_cell_out_of_order_is_found(rows: list[dict[str, Any]]) -> None:
    """The first cell out of order is found; type 0 without a column is the last of its row."""
    keys = []
    for row in rows:
        column = (row["family"], row["qualifier"])
        is_last = column == (b"", b"") and row["type"] == 0
        keys.append((row["row"], is_last, *column, -row["timestamp"], -row["type"]))
    wrong = [number for number in range(1, len(keys)) if keys[number] < keys[number - 1]]
    buffer = Buffer(1 << 10, 8)
    assert buffer.put(rows, FORM)[0] == DONE
    assert buffer.state[1] == min(wrong, default=-1)


@given(SOUND.filter(lambda rows: len(rows) > 1), st.integers(1, 4))
def test_a_put_continues_where_it_had_no_room(rows: list[dict[str, Any]], records: int) -> None:
    """A put that continues after a full buffer writes the same cells and the same counts."""
    whole = Buffer(1 << 10, 8)
    whole.put(rows, FORM)
    buffer, found, shared, at = Buffer(1 << 10, records + 1), b"", [], 0
    while True:
        before = int(buffer.state[0])
        code, at = buffer.put(rows, FORM, at)
        shared += buffer.shared[before : buffer.state[0]].tolist()
        if code != FULL:
            break
        found += buffer.forget()
    assert found + buffer.cells == whole.cells
    assert shared == whole.shared[: len(rows)].tolist()


@pytest.mark.parametrize(("room", "ended"), [(29, (FULL, 0)), (30, (DONE, 1))])
def test_a_cell_is_put_whole_or_not_at_all(room: int, ended: tuple[int, int]) -> None:
    """A cell is put only where there is room for the longest sequence number, nine bytes."""
    buffer = Buffer(room, 1)
    assert buffer.put([PLAIN], FORM | {"has_tags": 0}) == ended
    assert len(buffer.cells) == (22 if ended[0] == DONE else 0)
