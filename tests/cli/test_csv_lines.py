"""Columns of text become the CSV that Python's own writer makes of their rows."""

from __future__ import annotations

import csv
import io

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.cli.options.cells import FORMS, escaped
from byteloom.cli.printing.arrow_rows import as_text, csv_lines, rewritten

_FIELDS = st.text(st.sampled_from('a,"\n é☃'), max_size=6) | st.none()


@given(st.lists(st.tuples(_FIELDS, _FIELDS), max_size=9), st.integers(0, 3))
@example([("", ""), (None, None)], 0)
@example([('"', ","), ("\n", 'a"b')], 1)
def test_fields_are_quoted_as_csv_does_it(rows: list[tuple[str, str]], start: int) -> None:
    """Columns become the lines that Python's CSV writer makes; nulls are empty fields."""
    columns = [
        pa.array([row[each] for row in rows], pa.large_string()).slice(start) for each in range(2)
    ]
    for picked in (columns, columns[:1]):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(
            zip(*(column.to_pylist() for column in picked), strict=True)
        )
        assert csv_lines(picked) == out.getvalue()


def test_a_carriage_return_is_quoted() -> None:
    """A carriage return is quoted in CSV, since readers take it for the end of a line."""
    assert csv_lines([pa.array(["a\rb"], pa.large_string())]) == '"a\rb"\n'


@given(st.lists(st.binary(max_size=9) | st.none(), max_size=9), st.integers(0, 3))
@example([b"plain"], 0)
@example([b"\\", b"", None, b"\0\xff"], 1)
def test_bytes_are_escaped_as_one_by_one(values: list[bytes | None], start: int) -> None:
    """Columns of bytes of either width, whole or sliced, are escaped as single values are."""
    for of in (pa.binary(), pa.large_binary()):
        column = pa.array(values, of).slice(start)
        wanted = [None if each is None else escaped(each) for each in column.to_pylist()]
        assert rewritten(column, FORMS).to_pylist() == wanted


@given(st.lists(st.binary(max_size=9), max_size=9))
def test_bytes_are_written_in_hex(values: list[bytes]) -> None:
    """Bytes are written in hex as two digits each."""
    forms = tuple(f"{code:02x}" for code in range(256))
    made = rewritten(pa.array(values, pa.binary()), forms)
    assert made.to_pylist() == [each.hex() for each in values]


def test_types_that_arrow_writes_otherwise_are_left_alone() -> None:
    """Booleans, floats and decimals are left to Python, as Arrow writes them differently."""
    assert as_text(pa.array([1, None], pa.int8())).to_pylist() == ["1", None]  # type: ignore[union-attr]
    for column in (pa.array([True]), pa.array([1e20]), pa.array([b"x"])):
        assert as_text(column) is None
