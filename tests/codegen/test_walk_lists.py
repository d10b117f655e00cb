"""Walks read lists of numbers as records do, and refuse the same.

Internals: how a walk ends is between generated modules and the runtime.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scanners import generated
from tests.support.walks import flipped, read, walked

from byteloom.columns.loops import DONE, FULL
from byteloom_codegen.load import load_text
from byteloom_codegen.scanners.module import emit_scanners

LISTED = Path(__file__).parents[1] / "walks" / "listed.ksy"

EMPTY = bytes.fromhex("00 00 00 09")
OFFSETS = bytes.fromhex("03 03 0001 8000 ffff 06 01000000 ffffffff 0000 0001 0002 ee 09")
WIDE = bytes.fromhex("01 00 0007 10 02 8000000000000000 0000000000000008 09")
NARROW = bytes.fromhex("00 00 20 0000000000000002 3f800000 40000000 09")
RUNS = [EMPTY, OFFSETS, WIDE, NARROW]
LISTS = ("offsets", "counts", "levels", "words", "shares")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Generate the records of the spec, and the walks over them."""
    return generated(LISTED, tmp_path_factory.mktemp("walks") / "lists")


def compare(modules: tuple[Any, Any], data: bytes, usual: int = 1000) -> str:
    """Compare the walk over *data* with the records; return the error that both raise."""
    records, scans = modules
    rows, error = read(records.Run, data, "runs")
    columns, refused = walked(scans.RUNS, data, {}, usual)
    assert refused == error
    for name in LISTS:
        wanted = [
            getattr(each, name, None) or getattr(each.body, name, None) or [] for each in rows
        ]
        assert repr(columns[name]) == repr(wanted)  # not-a-number is equal to itself
    for name in ("base", "kind", "last"):
        assert columns[name] == [getattr(each, name) for each in rows]
    return error


def test_items_of_all_records_are_side_by_side(modules: tuple[Any, Any]) -> None:
    """The items of all records are one column, with offsets for each record."""
    columns, error = walked(modules[1].RUNS, b"".join(RUNS), {})
    assert error == ""
    assert columns["offsets"] == [[], [1, 0x8000, 0xFFFF], [7], []]
    assert columns["counts"] == [[], [1, 0xFFFFFFFF], [], []]
    assert columns["levels"] == [[], [0, 1, 2], [], []]
    assert columns["words"] == [[], [], [-(1 << 63), 8], [2]]
    assert columns["shares"] == [[], [], [], [1.0, 2.0]]


def test_lists_are_walked_as_they_are_read(modules: tuple[Any, Any]) -> None:
    """Walks over valid, flipped and cut bytes give the values and errors of records."""
    sound = b"".join(RUNS)
    assert compare(modules, sound) == ""
    errors = {compare(modules, each) for each in flipped(sound)}
    for part in ("].offsets ", "].levels[2] ", "].levels ", "].body.words[", "at least 2"):
        assert any(part in each for each in errors), part


@given(order=st.lists(st.sampled_from(RUNS), max_size=8), rest=st.binary(max_size=20))
def test_drawn_lists_are_walked_as_they_are_read(
    modules: tuple[Any, Any], order: list[bytes], rest: bytes
) -> None:
    """A walk gives the same result with initial room for few rows or for many."""
    data = b"".join(order) + rest
    assert compare(modules, data, usual=1000) == compare(modules, data, usual=1)


def test_a_walk_goes_on_where_items_had_no_room(modules: tuple[Any, Any]) -> None:
    """A walk gets more room as it finds items, many in one record or few in many."""
    many = bytes((255, 0)) + bytes(range(255)) * 2 + bytes((0, 9))
    columns, error = walked(modules[1].RUNS, many * 3 + OFFSETS * 300 + many, {}, usual=1000)
    assert error == ""
    assert [len(each) for each in columns["offsets"]] == [255] * 3 + [3] * 300 + [255]
    assert columns["counts"][3:-1] == [[1, 0xFFFFFFFF]] * 300
    assert columns["offsets"][0] == columns["offsets"][-1] == list(np.frombuffer(many[2:-2], ">u2"))


def test_lists_take_no_more_memory_than_their_bytes(modules: tuple[Any, Any]) -> None:
    """The columns of lists have no more items than the data has bytes."""
    many = bytes((255, 0)) + bytes(510) + bytes((0, 9))
    for sound, usual in ((many, 1000), (OFFSETS * 300, 1)):
        data, walk = np.frombuffer(sound, np.uint8), replace(modules[1].RUNS, usual=usual)
        found = walk.over(data, np.array([[0, len(data)]]), ["offsets", "words"], 1000, {})
        assert found.code == DONE
        assert len(found.columns["offsets"]) <= len(data)
        assert len(found.columns["words"]) <= len(data)


@pytest.mark.parametrize("most", [0, 1, 299, 300])
def test_no_more_records_are_taken_than_there_may_be(modules: tuple[Any, Any], most: int) -> None:
    """The offsets of lists are those of the records taken, up to the limit."""
    data = np.frombuffer(OFFSETS * 300, np.uint8)
    found = modules[1].RUNS.over(data, np.array([[0, len(data)]]), ["offsets"], most, {})
    assert (found.code, found.rows) == (DONE if most == 300 else FULL, most)
    assert found.offsets["offsets"].tolist() == [3 * number for number in range(most + 1)]


def test_lists_that_are_not_wanted_are_checked_all_the_same(modules: tuple[Any, Any]) -> None:
    """A wrong item of a list is refused even if its column is not requested."""
    damaged = OFFSETS.replace(bytes.fromhex("0000 0001 0002"), bytes.fromhex("0000 0001 0001"))
    data = np.frombuffer(damaged, np.uint8)
    found = modules[1].RUNS.over(data, np.array([[0, len(data)]]), ["last"], 9, {})
    error = modules[1].RUNS.refusal(data, len(data), found, {})
    assert str(error) == "runs[0].levels[2] at byte 21 (0x15): found 1, wanted at least 2"
    assert found.offsets == {}


def test_compiled_lists_are_what_interpreted_ones_are(modules: tuple[Any, Any]) -> None:
    """Compiled walks fill the same items and offsets as interpreted ones."""
    walk, data = modules[1].RUNS, b"".join(RUNS) * 9
    interpreted = walked(walk, data, {}, usual=1000)
    walk.fill.compiled  # noqa: B018  (compiles)
    assert walked(walk, data, {}, usual=1000) == interpreted


def test_lists_of_wide_unsigned_numbers_are_bounded_as_numbers_are() -> None:
    """Unsigned 64-bit items are limited to 63 bits, unless the list has no column."""
    text = (
        "meta: {id: t, endian: be}\n-loom-scan: walk\n"
        "seq: [{id: a, type: u1}, {id: x, type: u8, repeat: expr, repeat-expr: 2}]\n"
    )
    assert "x < 0" in emit_scanners(load_text(text, "t.ksy"), "t.ksy").text
    hidden = text.replace("repeat-expr: 2", "repeat-expr: 2, -loom-column: false")
    assert "x < 0" not in emit_scanners(load_text(hidden, "t.ksy"), "t.ksy").text
