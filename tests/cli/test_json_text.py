"""JSON that commands print can be parsed by any parser, whatever the values and names."""

from __future__ import annotations

import json
import math
import struct
from inspect import getfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.iceberg_rows import TableMaker, arrow, parquet

from byteloom.cli.printing.rows import text_of
from byteloom.cli.printing.value_text import json_text

FLOATS = [math.nan, math.inf, -math.inf, -0.0, 1e308]
TEXTS = ["NaN", "Infinity", "-Infinity", -0.0, 1e308]


def _strict(text: str) -> Any:
    """Parse a document by the letter of RFC 8259, which knows no constant NaN."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("indent", [None, 2])
def test_floats_that_json_cannot_hold_are_texts(indent: int | None) -> None:
    """Infinities and NaN become texts, in lists, tuples and keys too."""
    given = {"a": FLOATS, "b": [{"c": tuple(FLOATS)}], math.inf: math.nan}
    wanted = {"a": TEXTS, "b": [{"c": TEXTS}], "Infinity": "NaN"}
    assert _strict(json_text(given, indent)) == wanted


def test_rows_and_nested_values_of_them_are_json(tmp_path: Path) -> None:
    """Scans print floats that are not finite as texts, even in nested cells of CSV."""
    maker = TableMaker(tmp_path, [(1, "x", "double")])
    rows = arrow({(1, "x"): pa.array(FLOATS, pa.float64())})
    maker.commit(parquet(tmp_path / "data" / "a.parquet", rows)).open()
    lines = byteloom("table", "scan", tmp_path, "--json").out.splitlines()
    assert [_strict(line)["x"] for line in lines] == TEXTS
    assert text_of(FLOATS[:3]) == '["NaN", "Infinity", "-Infinity"]'


def test_documents_show_floats_that_are_not_finite_alike(tmp_path: Path) -> None:
    """`describe` prints floats that are not finite as scans do."""
    (tmp_path / "t.ksy").write_text(
        "meta: {id: t, endian: le}\nseq: [{id: x, type: f8, repeat: eos}]"
    )
    (tmp_path / "t.bin").write_bytes(struct.pack("<3d", *FLOATS[:3]))
    found = byteloom("describe", tmp_path / "t.bin", "--spec", tmp_path / "t.ksy", "--json").out
    (top,) = _strict(found)["structure"]
    values = [each["value"] for each in top["children"]]
    assert values == TEXTS[:3]


def test_names_that_are_not_utf_8_are_escaped() -> None:
    """A document is UTF-8 even if a file's name is not."""
    assert json_text({"file": "é"}) == '{"file": "é"}'
    assert json_text({"file": "é\udcff"}) == r'{"file": "\u00e9\udcff"}'


def test_json_is_written_in_one_place() -> None:
    """Only one module of the commands writes JSON."""
    sources = Path(getfile(json_text)).parent.rglob("*.py")
    own = [each.name for each in sources if "dumps(" in each.read_text("utf-8")]
    assert own == []
