"""Walks compare bytes with a parameter as records do, and refuse what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scanners import generated
from tests.support.walks import flipped, read, walked

MARKED = Path(__file__).parents[1] / "walks" / "marked.ksy"
MARK = bytes(range(200, 215))


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Generate the records of the spec, and the walks over them."""
    return generated(MARKED, tmp_path_factory.mktemp("walks") / "parameters")


def part(body: bytes, mark: bytes = MARK, last: int = 7) -> bytes:
    """Return the bytes of a record."""
    return bytes([len(body)]) + body + mark + bytes([last])


def compare(modules: tuple[Any, Any], data: bytes, mark: bytes = MARK, least: int = 0) -> str:
    """Compare the walk over *data* with the records; return the error that both raise."""
    records, scans = modules
    rows, error = read(records.Part, data, "parts", mark=mark, least=least)
    columns, refused = walked(scans.PARTS, data, {"mark": mark, "least": least})
    assert refused == error
    assert columns["body"] == [each.body for each in rows]
    assert columns["mark_size"] == [each.mark_size for each in rows]
    return error


def test_bytes_are_compared_with_a_parameter(modules: tuple[Any, Any]) -> None:
    """Walks over valid, flipped and cut bytes give the values and errors of records."""
    data = part(b"") + part(b"abc", last=255)
    assert compare(modules, data) == ""
    errors = {compare(modules, each) for each in flipped(data)}
    assert any(error.startswith("parts[1].end at byte 21 ") for error in errors)
    assert compare(modules, data, least=1).startswith("parts[0].len_body at byte 0 ")


@pytest.mark.parametrize("wrong", range(15))
def test_every_byte_is_compared(modules: tuple[Any, Any], wrong: int) -> None:
    """A parameter is compared byte by byte; the error has the offset of the field."""
    mark = bytes([*MARK[:wrong], MARK[wrong] ^ 128, *MARK[wrong + 1 :]])
    assert compare(modules, part(b"ab") + part(b"c", mark)).startswith("parts[1].end at byte 21 ")


@pytest.mark.parametrize("size", [0, 14, 16, 40])
def test_a_parameter_of_another_size_equals_nothing(modules: tuple[Any, Any], size: int) -> None:
    """A parameter shorter or longer than its field never equals it."""
    mark = (MARK * 3)[:size]
    assert compare(modules, part(b"ab"), mark).startswith("parts[0].end at byte 3 ")


@given(data=st.binary(max_size=60), mark=st.binary(max_size=17))
def test_drawn_bytes_are_walked_as_they_are_read(
    modules: tuple[Any, Any], data: bytes, mark: bytes
) -> None:
    """Any bytes are walked as they are read, with any parameter."""
    compare(modules, data, mark)
    compare(modules, part(b"x", mark) + data, mark)


def test_compiled_comparisons_are_what_interpreted_ones_are(modules: tuple[Any, Any]) -> None:
    """Compiled walks fill the same columns, and refuse the same record."""
    walk = modules[1].PARTS
    given_: dict[str, int | bytes] = {"mark": MARK, "least": 0}
    data = [part(b"ab") * 9, part(b"ab") * 5 + part(b"c", MARK[::-1])]
    interpreted = [walked(walk, each, given_) for each in data]
    walk.fill.compiled  # noqa: B018  (compiles)
    assert [walked(walk, each, given_) for each in data] == interpreted


@pytest.mark.parametrize("name", ["from", "while", "r", "limits", "base", "at", "row"])
def test_a_parameter_of_a_walk_may_have_any_name(name: str, tmp_path: Path) -> None:
    """A walk takes a parameter by the name that it has in the record's class."""
    spec = tmp_path / f"named_{name}.ksy"
    spec.write_text(
        MARKED.read_text().replace("least", name).replace("id: marked", f"id: {spec.stem}")
    )
    records, scans = generated(spec, tmp_path / f"walk_{name}")
    attribute = scans.PARTS.parameters[-1]
    given: dict[str, Any] = {"mark": MARK, attribute: 2}
    rows, error = read(records.Part, part(b"abc") + part(b"a"), "parts", **given)
    columns, refused = walked(scans.PARTS, part(b"abc") + part(b"a"), given)
    assert (columns["body"], len(rows)) == ([b"abc"], 1)
    assert refused == error
    assert error.startswith("parts[1].len_body")
