"""Rows printed for a person are as wide as there is room."""

import pyarrow as pa
import pytest
from tests.support.cli import byteloom

from byteloom.cli.printing.rows import fitted
from byteloom.hfile import HFileWriter


@pytest.mark.parametrize(
    ("widths", "limit", "room"),
    [
        ([5, 5], 12, [5, 5]),
        ([5, 5], None, [5, 5]),
        ([20, 10, 4], 38, [20, 10, 4]),
        ([20, 10, 4], 37, [19, 10, 4]),
        ([20, 10, 4], 28, [10, 10, 4]),
        ([20, 10, 4], 26, [9, 9, 4]),
        ([20, 10, 4], 24, [8, 8, 4]),
        ([20, 10, 4], 23, [9, 9]),
        ([9, 9, 9, 9], 29, [9, 9]),
        ([30], 4, [4]),
        ([3, 30], 4, [1]),
        ([1, 1], 1, [1]),
    ],
)
def test_columns_are_cut_and_then_left_out(
    widths: list[int], limit: int | None, room: list[int]
) -> None:
    """Columns are cut to eight characters, the widest first, and then left out with a sign."""
    found = fitted(widths, limit)
    assert found == room
    sign = 3 * (len(room) < len(widths))
    assert limit is None or limit < 4 or sum(room) + 2 * (len(room) - 1) + sign <= limit


def test_tables_are_as_wide_as_columns_says(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables are as wide as COLUMNS says; a cut one is noted on stderr."""
    file = f"{tmp_path}/file.hfile"
    with HFileWriter(file) as writer:
        writer.write(pa.table({"row": [b"a", b"b" * 50], "value": [b"1" * 60, b"2"]}))
    asked = ("hfile", "scan", file, "-c", "row,type,value")
    monkeypatch.setenv("COLUMNS", "")
    whole = byteloom(*asked)
    assert max(map(len, whole.out.splitlines())) > 60
    assert whole.err == ""
    monkeypatch.setenv("COLUMNS", "40")
    cut = byteloom(*asked)
    assert cut.out.splitlines() == [
        "row               type  value",
        f"a{' ' * 17}Put   {'1' * 15}…",
        f"{'b' * 15}…  Put   2",
    ]
    assert cut.err == "byteloom: cut to 40 characters; --format csv or json is whole\n"
    assert byteloom(*asked, "--format", "csv").err == ""
    monkeypatch.setenv("COLUMNS", "10")
    assert byteloom(*asked).out.splitlines()[0] == "row      …"
