"""Puts write bits, lists and switches as records do, and refuse the same.

Internals: how a put ends, and the room it keeps, are between generated modules and the runtime.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scanners import generated
from tests.support.walks import walked

from byteloom.columns.loops import DONE, FULL
from byteloom.columns.puts import SLACK
from byteloom.errors import FormatError
from byteloom_codegen.load import load_text
from byteloom_codegen.scanners.module import emit_scanners

LAID = Path(__file__).parents[1] / "walks" / "laid.ksy"
PRICED = {"has_price": 1}
EMPTY = {"offsets": [], "tag": 0, "counts": [], "number": -1, "x": 0, "y": 0, "mark": [],
         "label": [], "level": [], "names": [], "body": b"", "price": 0, "last": []}  # fmt: skip
MARKS = {"mark": [2, 8, 65535], "label": [b"", b"a", b"bcd"], "level": [0, 9, 255]}
PAIR = {"mark": [7, 8], "label": [b"xy", b""], "level": [0, 1]}
ENTRIES = [
    EMPTY | {"offsets": [0, 1, 65535], "body": b"other", "price": 1 << 31},
    EMPTY | {"tag": 1, "counts": [5], "number": 255, "x": -100, "y": (1 << 32) - 1},
    EMPTY | {"tag": 2, "counts": [1, 2], "number": -(1 << 15), **MARKS, "last": [-1, 1]},
    EMPTY | {"tag": 3, "counts": [0, 1, (1 << 63) - 1], "number": -(1 << 63), "last": [0, 0],
             "names": [b"ab", b"cd"], "price": 7},
    EMPTY | {"tag": 4, "number": (1 << 32) - 1, "last": [-128, 127], **PAIR, "x": 5},
    EMPTY | {"tag": 12, **PAIR, "last": [0, 1]},
]  # fmt: skip


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Generate the records of the spec, and its puts and walks."""
    return generated(LAID, tmp_path_factory.mktemp("walks") / "putting")


def arrays(put: Any, rows: list[dict[str, Any]]) -> list[Any]:
    """Return the columns as a put takes them."""
    found = []
    for column in put.columns:
        lists = [row[column.name] if column.items else [row[column.name]] for row in rows]
        values = [value for each in lists for value in each]
        if column.form == "view":
            found.append(np.frombuffer(b"".join(values), np.uint8))
            found.append(np.cumsum([0, *map(len, values)], dtype=np.int64))
        else:
            found.append(np.array(values, column.form))
        if column.items:
            found.append(np.cumsum([0, *map(len, lists)], dtype=np.int64))
    return found


def by_record(put: Any, rows: list[dict[str, Any]], given: dict[str, int]) -> bytes:
    """Return the bytes that the record class writes, up to the first error, which is raised."""
    found = b""
    for number, row in enumerate(rows):
        values = [row[column.name] for column in put.columns]
        try:
            found += put.make(*values, **given).to_bytes()
        except FormatError:
            raise put.refusal(values, number, given) from None
    return found


def compare(put: Any, rows: list[dict[str, Any]], given: dict[str, int]) -> tuple[bytes, str]:
    """Compare what is put with what records write; return the bytes, or the error of both."""
    try:
        wanted, error = by_record(put, rows, given), ""
    except FormatError as refused:
        wanted, error = b"", str(refused)
    try:
        data, starts = put.whole(len(rows), arrays(put, rows), given)
    except FormatError as refused:
        return b"", agreed(error, str(refused))
    assert (data.tobytes(), error) == (wanted, "")
    assert (len(starts), starts[0], starts[-1]) == (len(rows) + 1, 0, len(data))
    return data.tobytes(), ""


def agreed(error: str, refused: str) -> str:
    """Return the error of a put, which is the record's or about a value no record can have."""
    assert refused == error or "none in columns of fields that the record lacks" in refused
    return refused


def test_records_become_the_bytes_of_their_classes(modules: tuple[Any, Any]) -> None:
    """Puts write the bytes of the records, and a walk over these gives the columns."""
    scans = modules[1]
    for flags in (PRICED, {"has_price": 0}):
        rows = [row if flags["has_price"] else row | {"price": 0} for row in ENTRIES]
        data, error = compare(scans.PUT_ENTRIES, rows, flags)
        assert error == ""
        columns, refused = walked(scans.ENTRIES, data, flags)
        assert refused == ""
        for column in scans.PUT_ENTRIES.columns:
            assert columns[column.name] == [row[column.name] for row in rows], column.name


WORDS = st.fixed_dictionaries({
    "log_num_values": st.integers(0, 13), "len_words": st.integers(0, 4096),
    "is_last": st.integers(0, 1), "across": st.integers(0, 1 << 15),
    "wide": st.integers(0, 1 << 36), "long": st.integers(0, 1 << 63), "after": st.integers(0, 255),
    "len_chunk": st.integers(-1, 258).map(lambda number: 8 * number) | st.integers(0, 17),
})  # fmt: skip


@given(rows=st.lists(WORDS, max_size=5))
def test_bits_are_put_as_records_write_them(
    modules: tuple[Any, Any], rows: list[dict[str, Any]]
) -> None:
    """Bits are put in both orders and across bytes, as records write them.

    Refused are numbers that their fields have no room for, and sizes that are no whole units.
    """
    put = modules[1].PUT_WORDS
    data, error = compare(put, rows, {})
    most = {"log_num_values": 12, "len_words": 4095, "across": (1 << 15) - 1,
            "wide": (1 << 36) - 1, "long": (1 << 63) - 1}  # fmt: skip
    wrong = [
        number
        for number, row in enumerate(rows)
        if any(row[name] > limit for name, limit in most.items())
        or row["len_chunk"] not in range(8, 2049, 8)
    ]
    assert error.startswith(f"words[{wrong[0]}]") if wrong else not error
    if not wrong:
        columns, _ = walked(modules[1].WORDS, data, {})
        for name in (*most, "is_last", "after", "len_chunk"):
            assert columns[name] == [row[name] for row in rows]


NUMBERS = st.sampled_from((-1, 0, 1, 2, 7, 8, 255, 256, 32767, 32768, 65535, 65536, 1 << 31))
ROWS = st.fixed_dictionaries({
    "offsets": st.lists(st.integers(0, 5), max_size=3), "tag": st.integers(0, 12),
    "counts": st.lists(st.integers(0, 1 << 63), max_size=3),
    "number": NUMBERS | st.integers(-(1 << 63), (1 << 63) - 1), "x": st.integers(-101, 0),
    "y": st.sampled_from((0, 1)), "names": st.lists(st.binary(min_size=1, max_size=2), max_size=2),
    "mark": st.lists(st.integers(1, 9), max_size=3),
    "label": st.lists(st.binary(max_size=2), max_size=3),
    "level": st.lists(st.integers(0, 1), max_size=3), "body": st.binary(max_size=2),
    "price": st.sampled_from((0, 1)), "last": st.lists(st.integers(-128, 127), max_size=3),
})  # fmt: skip


@given(
    sound=st.lists(st.sampled_from(ENTRIES), max_size=4),
    change=ROWS,
    names=st.sets(st.sampled_from(sorted(EMPTY)), max_size=3),
)
def test_drawn_records_are_put_or_refused_as_their_classes_do(
    modules: tuple[Any, Any], sound: list[dict[str, Any]], change: dict[str, Any], names: set[str]
) -> None:
    """Random records are put, or refused, as their classes do."""
    rows = [*sound, ENTRIES[len(sound)] | {name: change[name] for name in names}]
    compare(modules[1].PUT_ENTRIES, rows, PRICED)


@pytest.mark.parametrize(
    ("row", "change", "words"),
    [
        (0, {"offsets": [0, 0]}, "entries[0].offsets: found 0, wanted at least 1"),
        (0, {"offsets": [1 << 15] * 256}, "num_offsets"),
        (1, {"counts": []}, "entries[0].counts: found 0 elements, wanted 1"),
        (1, {"counts": [1 << 63]}, "63 bits"),
        (1, {"number": 256}, "number"),
        (1, {"number": -1}, "number"),
        (2, {"number": 1 << 15}, "number"),
        (4, {"number": 1 << 32}, "number"),
        (5, {"number": 0}, "number"),
        (1, {"x": -101}, "entries[0].body.x: found -101, wanted at least -100"),
        (1, {"mark": [2], "label": [b""], "level": [0]}, "that the record lacks"),
        (1, {"names": [b"ab"]}, "that the record lacks"),
        (1, {"body": b"b"}, "that the record lacks"),
        (2, {"y": 1}, "that the record lacks"),
        (2, {"level": [0]}, "that the record lacks"),
        (2, {"level": [1, 9, 255]}, "level"),
        (2, {"mark": [2, 8, 1]}, "mark: found 1, wanted at least 2"),
        (2, {"label": [b"", b"a", bytes(255)]}, "len_label"),
        (3, {"names": [b"ab", b"c"]}, "names"),
        (4, {"mark": [7], "label": [b""], "level": [0]}, "points: found 1 element, wanted 2"),
        (0, {"body": bytes(65536)}, "len_body"),
        (0, {"last": [1]}, "last"),
        (2, {"last": [1]}, "last"),
    ],
)
def test_what_a_record_cannot_be_is_not_put(
    modules: tuple[Any, Any], row: int, change: dict[str, Any], words: str
) -> None:
    """Numbers, counts and sizes beyond the limits, and values of absent fields, are refused."""
    _, error = compare(modules[1].PUT_ENTRIES, [ENTRIES[row] | change], PRICED)
    assert words in error


@pytest.mark.parametrize("room", [0, 1])
def test_a_record_with_lists_is_put_whole_or_not_at_all(
    modules: tuple[Any, Any], room: int
) -> None:
    """A record that does not fit into the buffer is not put at all."""
    put, row = modules[1].PUT_ENTRIES, ENTRIES[2]
    data, _ = put.whole(1, arrays(put, [row]), PRICED)
    short = np.zeros(len(data) - 1 + room + SLACK, np.uint8)
    starts, shared = np.zeros(3, np.int64), np.zeros(3, np.uint8)
    ended = put.fill(short, starts, shared, put.state(), 0, 1, 1, *arrays(put, [row]))
    assert ended == ((DONE, 1, 1) if room else (FULL, 0, 0))
    assert short[: len(data)].any() == bool(room)


def test_compiled_puts_are_what_interpreted_ones_are(modules: tuple[Any, Any]) -> None:
    """Compiled puts write the same bytes as interpreted ones, whatever room there is."""
    put, rows = modules[1].PUT_ENTRIES, ENTRIES[:4] * 40
    interpreted = compare(put, rows, PRICED)
    put.fill.compiled  # noqa: B018  (compiles)
    assert compare(put, rows, PRICED) == interpreted


def test_records_may_be_put_that_are_not_walked_over() -> None:
    """A module with puts but no walks imports nothing that it does not use."""
    text = "meta: {id: t, endian: le}\n-loom-put: true\nseq: [{id: n, type: u2}]\n"
    module = emit_scanners(load_text(text, "t.ksy"), "t.ksy").text
    assert "PUT_TS = Put(" in module
    assert "Walk" not in module
    assert "Reader" not in module
