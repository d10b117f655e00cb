"""Loops take values whose type another value decides, as records do: a column for each kind."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.codegen.test_scanners import Subject
from tests.support.scanners import KEPT

from byteloom_codegen.load import load_text
from byteloom_codegen.scanners.module import emit_scanners


@pytest.fixture(scope="module", params=[False, True], ids=["interpreted", "compiled"])
def forked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Return the subject of records with switches, in lists and in each other."""
    folder = KEPT if request.param else tmp_path_factory.mktemp("switches")
    name = f"forked_{request.param}".lower()
    return Subject("forked", "rows", folder / name, compiled=request.param)


def forked_bytes(seed: int, rows: int) -> bytes:
    """Return a file of ``forked.ksy`` that is sound."""
    rng = random.Random(seed)

    def pair() -> bytes:
        left = rng.randrange(-2, 3)
        return left.to_bytes(2, signed=True) + (rng.randbytes(4) if left > 0 else b"")

    def listed() -> bytes:
        count = rng.randrange(3)
        return bytes((count,)) + b"".join(pair() for _ in range(count)) + rng.randbytes(2)

    def deep() -> bytes:
        on = rng.randrange(4)
        inner = {0: listed(), 1: pair(), 2: b"M"}.get(on, b"")
        return bytes((on << 6 | rng.randrange(61),)) + inner

    def row() -> bytes:
        kind = rng.randrange(6)
        body = {1: pair(), 2: listed(), 3: deep(), 4: b"M"}.get(kind, b"")
        body += rng.randbytes(rng.randrange(3))
        maybe = {10: listed(), 11: listed(), 12: pair()}.get(len(body), b"")
        out = bytes((kind, len(body))) + maybe + body
        out += rng.randbytes(2) if len(body) % 4 in {1, 3} else b""
        return out + rng.randbytes(4) + b"".join(deep() for _ in range(len(body) % 3))

    return b"".join(row() for _ in range(rows))


def test_a_loop_takes_the_switches(forked: Subject) -> None:
    """The records are not read one by one."""
    assert forked.scans._ROWS.loop is not None
    assert forked.scans._ROWS.attribute == ""


@given(seed=st.integers(0, 2**32), rows=st.integers(0, 12))
def test_each_kind_of_value_has_a_column(forked: Subject, seed: int, rows: int) -> None:
    """A scanner over switches gives the values of the records, those of other kinds null."""
    scanned, read = forked.both(forked_bytes(seed, rows))
    assert len(read) == rows
    assert scanned == read


@given(seed=st.integers(0, 2**32), where=st.floats(0, 1), value=st.integers(0, 255))
def test_damage_is_the_records_error(forked: Subject, seed: int, where: float, value: int) -> None:
    """A changed byte and a cut give the rows of the records, or their error and its place."""
    data = forked_bytes(seed, 5)
    at = int(where * (len(data) - 1))
    for damaged in (data[:at], data[:at] + bytes((value,)) + data[at + 1 :]):
        scanned, read = forked.both(damaged)
        assert scanned == read


def test_many_rows_grow_the_columns_of_each_kind(forked: Subject) -> None:
    """Thousands of rows, whose lists are in some of the cases, are those of the records."""
    scanned, read = forked.both(forked_bytes(7, 4_000))
    assert scanned == read


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        ("1: f4, 2: f8", "share a column"),
        ("1: u1, 2: u2", ""),
        ("1: u8, 2: s1", ""),
        ("1: s8", ""),
        ("1: two, _: two", ""),
    ],
)
def test_which_switches_have_no_loop_is_said(cases: str, reason: str) -> None:
    """Fractions of several widths share a column, and are read record by record."""
    text = (
        "meta: {id: top, endian: le}\nseq: [{id: rows, type: row, repeat: eos}]\ntypes:\n"
        "  two: {seq: [{id: b, type: u2}]}\n"
        "  row: {seq: [{id: n, type: u1}, {id: x, type: {switch-on: n, cases: {%s}}}]}\n"
    )
    made: Any = emit_scanners(load_text(text % cases, "top.ksy"), "top.ksy", everything=True)
    assert [reason in str(each) for each in made.slow] == ([True] if reason else [])


def test_a_value_of_a_record_that_may_be_missing_has_no_loop() -> None:
    """A loop calculates with no field of a record that a condition may leave out."""
    text = (
        "meta: {id: top, endian: le}\nseq: [{id: rows, type: row, repeat: eos}]\ntypes:\n"
        "  two: {seq: [{id: b, type: u1}]}\n"
        "  row:\n    seq:\n"
        "      - {id: n, type: u1}\n      - {id: two, type: two, if: n > 1}\n"
        "      - {id: x, size: two.b, if: %s}\n"
    )
    for condition, slow in (("n > 0", 1), ("n > 1", 0)):
        spec = load_text(text % condition, "top.ksy")
        assert len(emit_scanners(spec, "top.ksy", everything=True).slow) == slow
