"""FSST symbol tables are read as the record of `specs/lance/fsst.ksy` says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.lance.pages21.symbols import read_symbols
from byteloom_generated.lance.fsst import Fsst


@st.composite
def tables(draw: st.DrawFn) -> Fsst:
    """Tables of any number of symbols, with bytes after them."""
    symbols = draw(st.lists(st.binary(min_size=8, max_size=8), max_size=255))
    lengths = st.lists(st.integers(1, 8), min_size=len(symbols), max_size=len(symbols))
    return Fsst(
        terminator=draw(st.integers(0, 255)),
        suffix_limit=draw(st.integers(0, 255)),
        is_coded=draw(st.integers(0, 1)),
        symbols=symbols,
        lengths=draw(lengths),
        unused=draw(st.binary(max_size=9)),
    )


@given(tables())
def test_symbols_are_those_of_the_record(record: Fsst) -> None:
    """A symbol table has its record's symbols, and length 0 for a code without one."""
    is_coded, symbols, lengths = read_symbols(record.to_bytes(), "page")
    count = record.num_symbols
    assert is_coded == record.is_coded
    assert symbols[:count].astype("<i8").tobytes() == b"".join(record.symbols)
    assert lengths.tolist() == [*record.lengths, *[0] * (256 - count)]


@given(tables(), st.data())
def test_damaged_tables_are_refused_as_by_the_record(record: Fsst, data: st.DataObject) -> None:
    """A damaged symbol table raises its record's error, or has its record's symbols."""
    raw = bytearray(record.to_bytes())
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] = data.draw(st.integers(0, 255))
    table = bytes(raw[: data.draw(st.integers(0, len(raw)))])
    try:
        found = Fsst.from_bytes(table)
    except FormatError as error:
        with pytest.raises(type(error), match=rf"^page\.symbol_table\.{re.escape(error.path)}"):
            read_symbols(table, "page")
    else:
        assert read_symbols(table, "page")[2].tolist()[: found.num_symbols] == found.lengths
