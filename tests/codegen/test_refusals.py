"""What scanners and walks do not support, and mistakes in specs: exact errors and places."""

from __future__ import annotations

from typing import Final

import pytest
from tests.support.gallery import sections

from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.load import load_text
from byteloom_codegen.scanners.module import emit_scanners

META: Final = "meta: {id: t, endian: le, bit-endian: le}\n"


def refused(text: str, *, everything: bool = True) -> list[str]:
    """Return what no loop takes in a spec, and what has no scanner."""
    made = emit_scanners(load_text(text, "t.ksy"), "t.ksy", everything=everything)
    return [str(each) for each in [*made.slow, *made.refused]]


@pytest.mark.parametrize(
    ("section", "field", "reason"),
    [
        (name, *example)
        for name, section in sections("refusals").items()
        for example in section["examples"]
    ],
)
def test_what_is_not_supported_is_refused_at_its_place(
    section: str, field: str, reason: str
) -> None:
    """A field or record that a loop, a walk or a put does not take is named, with the reason."""
    about = sections("refusals")[section]
    first = refused(about["spec"].replace("FIELD", field), everything=about.get("all", False))[0]
    assert first.startswith(about["at"])
    assert reason in first


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
