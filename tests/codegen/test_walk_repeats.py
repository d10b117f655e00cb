"""Walks read lists of records, bytes, text and varints as records do, and refuse the same.

Internals: how a walk ends, and what proves text, are between generated modules and the runtime.
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

from byteloom.columns.byte_runs import is_ascii, is_utf8
from byteloom.columns.loops import DONE, FULL

GROUPED = Path(__file__).parents[1] / "walks" / "grouped.ksy"

LEAST = {"least": 1}
POINTS = ("x", "label", "kind_of_point", "height", "twice")
MARKS = ("mark", "level")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Generate the records of the spec, and the walks over them."""
    return generated(GROUPED, tmp_path_factory.mktemp("walks") / "repeated")


@pytest.fixture(scope="module")
def groups(modules: tuple[Any, Any]) -> list[bytes]:
    """Return groups with each list empty, with one item and with several, and with each case."""
    made = modules[0]

    def group(kind: int, body: Any, points: tuple[Any, ...] = (), **fields: Any) -> bytes:
        few = [made.Point(most=0, **point) for point in points]
        plain = {"steps": [], "keys": [], "len_keys": 1, "name": "abc", "last": 9, "codes": None}
        data: bytes = made.Group(
            kind=kind, body=body, points=few, **LEAST, **{**plain, **fields}
        ).to_bytes()
        return data

    mark = made.Mark
    some = (
        {"x": 7, "label": b"", "kind_of_point": 0, "height": None},
        {"x": 65535, "label": b"a label of a point", "kind_of_point": 1, "height": -(1 << 31)},
        {"x": 9, "label": b"b", "kind_of_point": 2, "height": None, "shape": 255},
        {"x": 9, "label": b"", "kind_of_point": 3, "height": None, "shape": -2},
        {
            "x": 0, "label": b"cc", "kind_of_point": 4, "height": None,
            "shape": made.Circle(radius=500),
        },
    )  # fmt: skip
    return [
        group(0, made.Pair(entries=[mark(mark=2), mark(mark=7)])),
        group(1, made.Marks(entries=[]), some, steps=[-1]),
        group(9, made.Marks(entries=[mark(mark=8, level=5)] * 3), steps=[-1], codes=["ab", "z~"]),
        group(2, made.Words(word=[1, (1 << 32) - 1]), some[1:2], steps=[300, 0], name="\u00fcx"),
        group(
            0x27, made.Plain(only=99, checked=[mark(mark=3)]), steps=[-1, 70, 1 << 62],
            len_keys=2, keys=[b"k1", b"k2"], name="\u20ac",
        ),
    ]  # fmt: skip


def columns_of(row: Any) -> dict[str, list[Any]]:
    """Return the lists of a record, one for each column."""
    found = {name: [getattr(each, name) for each in row.points] for name in POINTS}
    found["height"] = [-1 if each is None else each for each in found["height"]]
    shapes = [each.shape for each in row.points]
    found["shape"] = [each if isinstance(each, int) else 0 for each in shapes]
    found["radius"] = [getattr(each, "radius", 0) for each in shapes]
    entries = getattr(row.body, "entries", [])
    found["mark"] = [each.mark for each in entries]
    found["level"] = [each.level or 0 for each in entries]
    found["word"] = getattr(row.body, "word", [])
    found["codes"] = [each.encode() for each in row.codes or []]
    return {**found, "steps": row.steps, "keys": row.keys}


def compare(modules: tuple[Any, Any], data: bytes, usual: int = 1000) -> str:
    """Compare the walk over *data* with the records; return the error that both raise."""
    records, scans = modules
    rows, error = read(records.Group, data, "groups", **LEAST)
    columns, refused = walked(scans.GROUPS, data, LEAST, usual)
    assert refused == error
    lists = [columns_of(each) for each in rows]
    for name in columns_of(records.Group(**NOTHING)):
        assert columns[name] == [each[name] for each in lists], name
    assert columns["name"] == [each.name.encode() for each in rows]
    assert columns["only"] == [getattr(each.body, "only", 0) for each in rows]
    assert columns["last"] == [each.last for each in rows]
    return error


NOTHING: dict[str, Any] = {
    **LEAST, "points": [], "kind": 0, "steps": [], "len_keys": 1, "keys": [], "name": "",
    "body": None, "last": 0,
}  # fmt: skip


def test_a_list_of_records_is_a_list_for_each_of_their_columns(
    modules: tuple[Any, Any], groups: list[bytes]
) -> None:
    """A list of records is a list column for each field; an absent field has its default."""
    columns, error = walked(modules[1].GROUPS, b"".join(groups), LEAST)
    assert error == ""
    assert columns["x"] == [[], [7, 65535, 9, 9, 0], [], [65535], []]
    assert columns["label"][1] == [b"", b"a label of a point", b"b", b"", b"cc"]
    assert columns["height"] == [[], [-1, -(1 << 31), -1, -1, -1], [], [-(1 << 31)], []]
    assert columns["shape"] == [[], [0, 0, 255, -2, 0], [], [0], []]
    assert columns["radius"] == [[], [0, 0, 0, 0, 500], [], [0], []]
    assert columns["twice"] == [[], [14, 131070, 18, 18, 0], [], [131070], []]
    assert columns["mark"] == [[2, 7], [], [8, 8, 8], [], []]
    assert columns["level"] == [[0, 0], [], [5, 5, 5], [], []]


def test_lists_of_bytes_text_and_varints_are_columns_of_them(
    modules: tuple[Any, Any], groups: list[bytes]
) -> None:
    """Lists of bytes, text and varints become columns; text is checked as UTF-8 or ASCII."""
    columns, _ = walked(modules[1].GROUPS, b"".join(groups), LEAST)
    assert columns["keys"] == [[], [], [], [], [b"k1", b"k2"]]
    assert columns["codes"] == [[], [], [b"ab", b"z~"], [], []]
    assert columns["steps"] == [[], [-1], [-1], [300, 0], [-1, 70, 1 << 62]]
    assert columns["name"] == [b"abc", b"abc", b"abc", "\u00fcx".encode(), "\u20ac".encode()]
    assert columns["word"][3] == [1, (1 << 32) - 1]


def test_lists_are_walked_as_they_are_read(modules: tuple[Any, Any], groups: list[bytes]) -> None:
    """Walks over valid, flipped and cut bytes give the values and errors of records."""
    sound = b"".join(groups)
    assert compare(modules, sound) == ""
    errors = {compare(modules, each) for each in flipped(sound)}
    for part in (
        "].num_points ", "].points[", "].x ", "].steps[", "].keys", "].name ", "].codes[",
        ".entries[", ".checked[", ".word[", "wanted less than 100", "wanted text in UTF-8",
        "wanted text in ASCII",
    ):  # fmt: skip
        assert any(part in each for each in errors), part


@given(data=st.data(), rest=st.binary(max_size=20))
def test_drawn_lists_are_walked_as_they_are_read(
    modules: tuple[Any, Any], groups: list[bytes], data: st.DataObject, rest: bytes
) -> None:
    """A walk gives the same result with initial room for few rows or for many."""
    drawn = b"".join(data.draw(st.lists(st.sampled_from(groups), max_size=8))) + rest
    assert compare(modules, drawn, usual=1000) == compare(modules, drawn, usual=1)


@given(values=st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=9))
def test_a_record_may_be_a_varint_alone(modules: tuple[Any, Any], values: list[int]) -> None:
    """A record that is a varint alone is walked, and its rule gives the record's own error."""
    records, scans = modules
    data = b"".join(records.Delta(value=each).to_bytes() for each in values if each != 5)
    for stored in (data, data + b"\x0a" + data):
        rows, error = read(records.Delta, stored, "deltas")
        columns, refused = walked(scans.DELTAS, stored, {})
        assert (columns["value"], refused) == ([each.value for each in rows], error)
        assert ("found 5, wanted anything but 5" in error) == (stored is not data)


def test_compiled_lists_are_what_interpreted_ones_are(
    modules: tuple[Any, Any], groups: list[bytes]
) -> None:
    """Compiled walks fill the same items and offsets as interpreted ones, in any room."""
    walk, data = modules[1].GROUPS, b"".join(groups) * 40
    interpreted = walked(walk, data, LEAST, usual=1000)
    walk.fill.compiled  # noqa: B018  (compiles)
    assert walked(walk, data, LEAST, usual=1000) == interpreted
    assert walked(walk, data, LEAST, usual=1) == interpreted


def test_lists_take_no_more_memory_than_their_bytes_allow(
    modules: tuple[Any, Any], groups: list[bytes]
) -> None:
    """A list has room for as many items as its bytes can hold, and no more."""
    sound = groups[2] * 300
    data, walk = np.frombuffer(sound, np.uint8), replace(modules[1].GROUPS, usual=1000)
    found = walk.over(data, np.array([[0, len(data)]]), ["mark", "codes"], 1000, LEAST)
    assert (found.code, found.rows) == (DONE, 300)
    assert found.offsets["mark"].tolist() == [3 * number for number in range(301)]
    assert len(found.columns["mark"]) <= len(data)  # two bytes an item, of at least two
    assert len(found.columns["codes"]) <= 8 * len(data)  # sixteen of two
    few = walk.over(data, np.array([[0, len(data)]]), ["mark"], 299, LEAST)
    assert (few.code, few.rows, few.offsets["mark"][-1]) == (FULL, 299, 897)


@given(data=st.binary(max_size=20) | st.text(max_size=9).map(lambda text: text.encode()))
def test_bytes_are_proved_to_be_text(data: bytes) -> None:
    """Bytes are accepted as UTF-8 or ASCII exactly if Python decodes them."""
    words = np.frombuffer(data + bytes(8), np.uint8)
    proofs = (is_utf8, "utf-8"), (is_ascii, "ascii")
    for proof, encoding in proofs:
        assert proof(words.ctypes.data, 0, len(data)) == is_text(data, encoding)


@pytest.mark.parametrize("lead", range(256))
def test_each_beginning_of_utf8_is_judged_as_python_does(lead: int) -> None:
    """Every first byte pair of UTF-8 is accepted or refused as by Python."""
    seconds = (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)
    ends = (b"", b"\x80", b"\xbf\x80", b"\x80\xbf", b"\x80\x7f", b"\x80\xc0", b"\xc0\x80")
    for second in seconds:
        for rest in ends:
            data = bytes((lead, second)) + rest
            for size in range(1, len(data) + 1):
                words = np.frombuffer(data, np.uint8)
                assert is_utf8(words.ctypes.data, 0, size) == is_text(data[:size], "utf-8")


def is_text(data: bytes, encoding: str) -> bool:
    """Return whether Python decodes the bytes."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
