"""Walks read integers of variable length as records do, and refuse the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scanners import generated
from tests.support.varints import folded, varint
from tests.support.walks import flipped, read, walked

VARIED = Path(__file__).parents[1] / "walks" / "varied.ksy"
COLUMNS = (
    "change",
    "tag",
    "level",
    "step",
    "byte",
    "out_name",
    "room_ends",
    "offsets_ends",
    "uleb128_at",
)
DEFAULTS = {"level": 7}


def event(name: bytes, change: int, tag: int, level: bytes = b"", *, ends: int = 0) -> bytes:
    """Return an event, whose level, as Hadoop stores it, is there if the tag is 1."""
    head = varint(len(name)) + name + varint(folded(change)) + varint(tag)
    return head + level + bytes((0x81, 1, 9, 1, 2, ends, ends)) + bytes((5, 6)) * ends + b"\x0a"


EVENTS = [
    event(b"", 0, 0),
    event(b"a" * 3, -1, 1, b"\x90"),
    event(b"b", 1 << 62, 1, b"\x83" + b"\xff" * 5, ends=1),
    event(b"c" * 130, -(1 << 63), 300),
    event(b"d", (1 << 63) - 1, (1 << 63) - 1),
]


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Generate the records of the spec, and the walks over them."""
    return generated(VARIED, tmp_path_factory.mktemp("walks") / "varints")


def compare(modules: tuple[Any, Any], data: bytes, *, has_step: bool = True) -> str:
    """Compare the walk over *data* with the records; return the error that both raise."""
    records, scans = modules
    rows, error = read(records.Event, data, "events", end=has_step)
    columns, refused = walked(scans.EVENTS, data, {"end": int(has_step)})
    assert refused == error
    for name in COLUMNS:
        wanted = [getattr(each, name) for each in rows]
        assert columns[name] == [DEFAULTS.get(name, 0) if each is None else each for each in wanted]
    assert columns["name"] == [each.name for each in rows]
    assert columns["to_byte"] == [each.to_byte for each in rows]
    assert columns["ends"] == [each.ends for each in rows]
    return error


def test_varints_are_walked_as_they_are_read(modules: tuple[Any, Any]) -> None:
    """Walks over valid, flipped and cut bytes give the values and errors of records."""
    sound = b"".join(EVENTS[:2]) + b"\x81\x00" + EVENTS[2][1:]  # a length in two bytes
    assert compare(modules, sound) == ""
    assert compare(modules, sound, has_step=False) != ""
    errors = {compare(modules, each) for each in flipped(sound)}
    for part in ("].len_name ", "].change ", "].tag ", "].level ", "at least 9"):
        assert any(part in each for each in errors), part


@given(order=st.lists(st.sampled_from(EVENTS), max_size=6), rest=st.binary(max_size=24))
def test_drawn_varints_are_walked_as_they_are_read(
    modules: tuple[Any, Any], order: list[bytes], rest: bytes
) -> None:
    """Random varints, long ones and invalid ones among them, are walked as they are read."""
    records, scans = modules
    data = b"".join(order) + rest
    columns, refused = walked(scans.EVENTS, data, {"end": 1})
    rows, error = read(records.Event, data, "events", end=True)
    assert (columns["change"], refused) == ([each.change for each in rows], error) or (
        "fit 63 bits" in refused
    )


def test_fields_may_have_the_names_of_variables(modules: tuple[Any, Any]) -> None:
    """Fields may have the names of the columns, functions and arguments of the loop."""
    columns, error = walked(modules[1].EVENTS, b"".join(EVENTS), {"end": 1})
    assert error == ""
    assert columns["byte"] == [9] * 5
    assert columns["out_name"] == [0x0102] * 5
    assert columns["ends"] == [[], [], [5], [], []]
    assert columns["to_byte"] == [b"", b"", b"\6", b"", b""]


@pytest.mark.parametrize(("value", "is_taken"), [((1 << 63) - 1, True), (1 << 63, False)])
def test_unsigned_varints_are_taken_up_to_63_bits(
    modules: tuple[Any, Any], value: int, is_taken: bool
) -> None:
    """A walk reads unsigned varints of up to 63 bits, though a record reads 64."""
    columns, error = walked(modules[1].EVENTS, event(b"", 0, value), {"end": 1})
    assert columns["tag"] == [value] * is_taken
    assert is_taken or "numbers and sizes that fit 63 bits" in error


def test_compiled_varints_are_what_interpreted_ones_are(modules: tuple[Any, Any]) -> None:
    """Compiled walks fill the same columns as interpreted ones."""
    walk, data = modules[1].EVENTS, b"".join(EVENTS) * 9
    interpreted = walked(walk, data, {"end": 1})
    walk.fill.compiled  # noqa: B018  (compiles)
    assert walked(walk, data, {"end": 1}) == interpreted
