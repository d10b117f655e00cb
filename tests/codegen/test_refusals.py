"""What scanners and walks do not support, and mistakes in specs: exact errors and places."""

from __future__ import annotations

from typing import Final

import pytest

from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.load import load_text
from byteloom_codegen.scanners.module import emit_scanners

META: Final = "meta: {id: t, endian: le, bit-endian: le}\n"
ROWS: Final = META + (
    "seq: [{id: rows, type: row, repeat: eos}]\n"
    "types:\n"
    "  empty: {}\n"
    "  row:\n"
    "    seq:\n"
    "      - {id: n, type: u1}\n"
    "      - {id: s, size: n}\n"
    "      - "
)


def refused(text: str) -> list[str]:
    """Return what no loop takes in a spec, and what has no scanner."""
    made = emit_scanners(load_text(text, "t.ksy"), "t.ksy", everything=True)
    return [str(each) for each in [*made.slow, *made.refused]]


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("{id: x, type: u1, if: 's == [1, 2]'}", "/if: scanners calculate with integers only"),
        ("{id: x, type: u1, if: n > 1.5}", "/if: scanners calculate with integers only"),
        (
            "{id: x, type: u4, -loom-crc: {algorithm: crc32, over: [n, s]}}",
            ": a checksum, which scanners do not compute",
        ),
        ("{id: x, type: b2, repeat: expr, repeat-expr: n}", ": repeated bits or contents"),
        ("{id: x, contents: [1], repeat: expr, repeat-expr: n}", ": repeated bits or contents"),
        ("{id: x, type: f4, valid: {eq: 1}}", ": a rule on a number with a fraction"),
        (
            "{id: x, type: empty, repeat: expr, repeat-expr: n}",
            ": elements that may have no bytes",
        ),
    ],
)
def test_what_no_loop_takes_is_said(field: str, reason: str) -> None:
    """A field or expression that loops do not support is named with its place."""
    first = refused(f"{ROWS}{field}\n")[0]
    assert first.startswith("t.ksy:9:")
    assert first.endswith(f"/types/row/seq/2{reason}")


@pytest.mark.parametrize(
    "field", ["{id: x, type: u1, -loom-column: false}", "{id: x, contents: [1]}"]
)
def test_records_without_columns_have_no_scanner(field: str) -> None:
    """Records without columns have neither a scanner nor a walk."""
    types = f"types: {{row: {{seq: [{field}]}}}}\n"
    rows = f"{META}seq: [{{id: rows, type: row, repeat: eos}}]\n{types}"
    assert refused(rows) == ["t.ksy:2:7: /seq/0: its records have no columns"]
    walk = f"{META}-loom-scan: walk\n-loom-put: true\nseq: [{field}]\n"
    assert refused(walk)[0] == "t.ksy:1:1: /: its records have no columns"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ("{id: x, size-eos: true}", "1:1: /: its records may have no bytes"),
        ("{id: a, type: u1}, {id: x, size: 3, terminator: 0}", "3:26: /seq/1: bytes that are cut"),
    ],
)
def test_what_walks_do_not_take_is_said(fields: str, reason: str) -> None:
    """A field or record that walks do not support is refused at its place."""
    text = f"meta: {{id: t, endian: le}}\n-loom-scan: walk\nseq: [{fields}]\n"
    assert refused(text)[0] == f"t.ksy:{reason}"


@pytest.mark.parametrize(
    ("fields", "mistake"),
    [
        (
            "{id: c, type: u4, -loom-crc: {algorithm: crc32, over: [b, a]}}",
            "/-loom-crc: 'b' comes after 'a'",
        ),
        (
            "{id: c, type: u4, -loom-crc: {algorithm: crc32, over: [a, d]}}",
            "/-loom-crc: 'd' is not an attribute of the same seq",
        ),
        (
            "{id: c, type: u2, -loom-crc: {algorithm: crc32, over: [a, b]}}",
            "/-loom-crc: a checksum is one integer of 4 bytes, not integer",
        ),
        (
            "{id: c, type: u1, valid: {expr: '(_ == 1) < (_ == 2)'}}",
            "/valid/expr: boolean has no order, only == and !=",
        ),
    ],
)
def test_mistakes_in_specs_have_their_place(fields: str, mistake: str) -> None:
    """The error for a mistake in a spec has its place and what is wrong."""
    text = f"{META}seq:\n  - {{id: a, type: u1}}\n  - {{id: b, type: u1}}\n  - {fields}\n"
    with pytest.raises(SpecErrors) as caught:
        load_text(text, "t.ksy")
    assert str(caught.value).startswith("t.ksy:5:")
    assert str(caught.value).endswith(f"/seq/2{mistake}")


def test_a_checksum_may_cover_a_single_field() -> None:
    """A checksum over a single field names that field twice."""
    crc = "{id: c, type: u4, -loom-crc: {algorithm: crc32, over: [a, a]}}"
    spec = load_text(f"{META}seq:\n  - {{id: a, type: u1}}\n  - {crc}\n", "t.ksy")
    assert spec.name == "t"
