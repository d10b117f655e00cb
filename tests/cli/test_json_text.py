"""JSON that commands print can be parsed by any parser, whatever the values and names."""

from __future__ import annotations

import json
import math
import re
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.support.cli import byteloom

from byteloom.lance import LanceWriter

FLOATS = [math.nan, math.inf, -math.inf, -0.0, 1e308]
TEXTS = ["NaN", "Infinity", "-Infinity", -0.0, 1e308]


def _strict(text: str) -> Any:
    """Parse a document by the letter of RFC 8259, which knows no constant NaN."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def test_floats_that_json_cannot_hold_are_texts(tmp_path: Path) -> None:
    """Scans print infinities and NaN as texts, even in lists and in nested cells of CSV."""
    rows = pa.table({"x": FLOATS, "list": [FLOATS] * len(FLOATS)})
    with LanceWriter(tmp_path / "a.lance", rows.schema) as writer:
        writer.write(rows)
    lines = byteloom("lance", "cat", tmp_path / "a.lance", "--json").out.splitlines()
    assert [_strict(line) for line in lines] == [{"x": each, "list": TEXTS} for each in TEXTS]
    cells = byteloom("lance", "cat", tmp_path / "a.lance", "--format", "csv", "-c", "list").out
    assert '"[""NaN"", ""Infinity"", ""-Infinity"", ' in cells


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


def test_names_that_are_not_utf_8_are_escaped(tmp_path: Path) -> None:
    """A document is UTF-8 even if a file's name is not; other names stay readable."""
    assert f'"{tmp_path}/é"' in byteloom("verify", tmp_path / "é", "--json").out
    assert r'/\u00e9\udcff"' in byteloom("verify", f"{tmp_path}/é\udcff", "--json").out


def test_json_is_written_in_one_place() -> None:
    """Only one module of the commands writes JSON."""
    sources = (Path(__file__).parents[2] / "runtime/byteloom/cli").rglob("*.py")
    own = [each.name for each in sources if re.search(r"dumps\(|JSONEncoder\(", each.read_text())]
    assert own == ["value_text.py"]
