"""Rows printed for a person are as wide as there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.cli import byteloom

from byteloom.hfile import HFileWriter
from byteloom.lance import LanceWriter

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("widths", "limit", "room"),
    [
        ([5, 5], 12, [5, 5]),
        ([5, 5], "", [5, 5]),
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
    tmp_path: Path, widths: list[int], limit: int | str, room: list[int]
) -> None:
    """Columns are cut to eight characters, the widest first, and then left out with a sign."""
    rows = pa.table({name: ["x" * width] for name, width in zip("abcd", widths, strict=False)})
    with LanceWriter(tmp_path / "a.lance", rows.schema) as writer:
        writer.write(rows)
    done = byteloom("lance", "cat", tmp_path / "a.lance", env={"COLUMNS": str(limit)})
    texts = [
        "x" * width if size == width else "x" * (size - 1) + "…"
        for size, width in zip(room, widths, strict=False)
    ]
    sign = ["…"] * (len(room) < len(widths))
    assert done.out.splitlines()[1] == "  ".join([*texts, *sign])
    is_cut = room != widths
    note = f"byteloom: cut to {limit} character{'s' * (limit != 1)}; --format csv or json is whole"
    assert done.err == (f"{note}\n" if is_cut else "")


def test_tables_are_as_wide_as_columns_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables are as wide as COLUMNS says; a cut one is noted on stderr."""
    file = tmp_path / "file.hfile"
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
