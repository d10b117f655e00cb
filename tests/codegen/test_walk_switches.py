"""Walks read values whose type another value decides as records do, and refuse the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scanners import generated
from tests.support.walks import flipped, read, walked

TAGGED = Path(__file__).parents[1] / "walks" / "tagged.ksy"

NOTHING = bytes.fromhex("00 3f800000 00 09")
BYTE = bytes.fromhex("01 c8 03 616263 09")
POINT = bytes.fromhex("02 fffe 40000000 05 ff9c 0007 ee 09")
LONG = bytes.fromhex("03 0000000000000007 07 00 0102 7a7a 01 63 09")
SHORT = bytes.fromhex("03 0000000000000008 02 09 00 09")
LONG_TOO = bytes.fromhex("04 7fffffffffffffff 40400000 06 00 ff9c 0005 00 09")
ENTRIES = [NOTHING, BYTE, POINT, LONG, SHORT, LONG_TOO]


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Generate the records of the spec, and the walks over them."""
    return generated(TAGGED, tmp_path_factory.mktemp("walks") / "switched")


def row_of(entry: Any) -> dict[str, Any]:
    """Return a record as a row, with defaults for absent fields."""
    body = b"" if entry.body is None else entry.body
    plain = isinstance(body, bytes)
    inner = getattr(body, "inner", None) if hasattr(body, "kind") else None if plain else body
    return {
        "tag": int(entry.tag),
        "number": -1 if entry.number is None else entry.number,
        "price": entry.price or 0.0,
        "x": getattr(inner, "x", 0),
        "y": getattr(inner, "y", 0),
        "kind": getattr(body, "kind", 0),
        "name": getattr(inner, "name", b""),
        "has_level": getattr(body, "has_level", 0),
        "level": getattr(body, "level", None) or 0,
        "body": body if plain else b"",
        "last": entry.last,
    }


def compare(modules: tuple[Any, Any], data: bytes, *, has_price: bool) -> str:
    """Compare the walk over *data* with the records; return the error that both raise."""
    records, scans = modules
    rows, error = read(records.Entry, data, "entries", has_price=has_price)
    columns, refused = walked(scans.ENTRIES, data, {"has_price": int(has_price)}, usual=1000)
    assert refused == error
    wanted = [repr(row_of(each)) for each in rows]  # not-a-number is equal to itself
    names = [name for name in columns if name != "place"]
    found = [
        repr(dict(zip(names, values, strict=True)))
        for values in zip(*(columns[name] for name in names), strict=True)
    ]
    assert found == wanted
    return error


def test_each_case_fills_its_columns_and_leaves_the_others_at_their_defaults(
    modules: tuple[Any, Any],
) -> None:
    """Each case of a switch fills its columns; the others have their defaults."""
    columns, error = walked(modules[1].ENTRIES, b"".join(ENTRIES), {"has_price": 1})
    assert error == ""
    assert columns["number"] == [-1, 200, -2, 7, 8, (1 << 63) - 1]
    assert columns["price"] == [1.0, 0.0, 2.0, 0.0, 0.0, 3.0]
    assert columns["x"] == [0, 0, -100, 0x0102, 0, -100]
    assert columns["y"] == [0, 0, 7, 0, 0, 5]
    assert columns["name"] == [b"", b"", b"", b"zz", b"", b""]
    assert columns["level"] == [0, 0, 0, 0x63, 0, 0]
    assert columns["body"] == [b"", b"abc", b"", b"", b"", b""]


def test_cases_are_walked_as_they_are_read(modules: tuple[Any, Any]) -> None:
    """Walks over valid, flipped and cut bytes give the values and errors of records."""
    sound = b"".join(ENTRIES)
    assert compare(modules, sound, has_price=True) == ""
    errors = {compare(modules, each, has_price=True) for each in flipped(sound)}
    assert any("body.inner.x" in each for each in errors)
    assert any("].number" in each for each in errors)


@given(
    order=st.lists(st.sampled_from(ENTRIES), max_size=5),
    rest=st.binary(max_size=20),
    has_price=st.booleans(),
)
def test_drawn_cases_are_walked_as_they_are_read(
    modules: tuple[Any, Any], order: list[bytes], rest: bytes, has_price: bool
) -> None:
    """Records in any order, followed by any bytes, are walked as they are read."""
    compare(modules, b"".join(order) + rest, has_price=has_price)


@given(data=st.binary(max_size=40))
def test_a_switch_with_a_case_for_all_else_is_a_length(
    modules: tuple[Any, Any], data: bytes
) -> None:
    """A switch with a default case serves as a length; a negative one is refused."""
    records, scans = modules
    rows, error = read(records.Length, data, "lengths")
    columns, refused = walked(scans.LENGTHS, data, {}, usual=1)
    assert refused == error
    assert columns["len_data"] == [each.len_data for each in rows]
    assert columns["data"] == [each.data for each in rows]


def test_numbers_of_cases_are_part_of_the_order(modules: tuple[Any, Any]) -> None:
    """A record without an ordering number in its case is compared by the default."""
    words = np.frombuffer(NOTHING + POINT + NOTHING, np.uint8)
    found = modules[1].ENTRIES.over(words, np.array([[0, len(words)]]), [], 9, {"has_price": 1})
    assert (found.rows, found.disorder) == (3, 1)  # -1, -2, -1


def test_compiled_switches_fill_what_interpreted_ones_fill(modules: tuple[Any, Any]) -> None:
    """Compiled walks take the same cases as interpreted ones."""
    walk, data = modules[1].ENTRIES, b"".join(ENTRIES)
    interpreted = walked(walk, data, {"has_price": 1})
    walk.fill.compiled  # noqa: B018  (compiles)
    assert walked(walk, data, {"has_price": 1}) == interpreted
