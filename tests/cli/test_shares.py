"""`inspect` says what share of a file each kind of its parts takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom

if TYPE_CHECKING:
    from pathlib import Path


SPEC = """
meta: {id: t, endian: le}
seq: [%s]
instances: {%s}
types: {item: {seq: [{id: a, type: u2}]}}
"""


@pytest.mark.parametrize(
    ("fields", "instances", "size", "parts"),
    [
        (
            "{id: a, type: item, repeat: expr, repeat-expr: 5}, {id: end, size: 3}",
            "far: {pos: 20, size: 10}",
            40,
            [
                ("a[]", 5, 10, 25),
                ("end", 1, 3, 7.5),
                ("far", 1, 10, 25),
                ("(gap)", 2, 17, 42.5),
            ],
        ),
        (
            "{id: a, size: 9}",
            "b: {pos: 4, size: 2}, c: {value: 1}",
            10,
            [("a", 1, 9, 90.0), ("b", 1, 2, 20.0), ("(gap)", 1, 1, 10.0)],
        ),
        ("{id: a, size: 4}", "c: {value: 1}", 4, []),
        ("", "", 0, []),
    ],
)
def test_elements_of_one_field_are_one_part_and_other_bytes_are_gaps(
    tmp_path: Path, fields: str, instances: str, size: int, parts: list[Any]
) -> None:
    """Parts are those of the only record; nodes may overlap, and a gap is what none of them has."""
    (tmp_path / "t.ksy").write_text(SPEC % (fields, instances))
    (tmp_path / "t").write_bytes(bytes(size))
    found = byteloom("describe", tmp_path / "t", "--spec", tmp_path / "t.ksy", "--json").out
    assert [tuple(each.values()) for each in json.loads(found)["parts"]] == parts


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("orders.puffin", {"magic", "blobs[]", "footer"}),
        ("orders.hfile", {"data", "root_index", "bloom_chunk", "trailer"}),
        ("orders.lance", {"columns[].pages[].buffers[]", "footer", "(gap)"}),
        ("orders/metadata/manifest-1.avro", {"header", "blocks[]"}),
    ],
)
def test_parts_of_a_sample_add_up(file: str, names: set[str], tmp_path: Path) -> None:
    """Sizes of all parts add up to the file, in JSON and in the table before the tree."""
    byteloom("samples", tmp_path)
    shown: dict[str, Any] = json.loads(byteloom("inspect", tmp_path / file, "--json").out)
    assert sum(each["size"] for each in shown["parts"]) == shown["size"]
    assert sum(each["percent"] for each in shown["parts"]) == pytest.approx(100, abs=0.1)
    assert names <= {each["name"] for each in shown["parts"]}
    lines = byteloom("inspect", tmp_path / file).out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("parts "))
    for line, part in zip(lines[at + 1 :], shown["parts"], strict=False):
        values = f"{part['count']:,}", str(part["size"]), f"{part['percent']:.2f}"
        assert line.split() == [part["name"], *values]


def test_blobs_and_columns_have_their_share(tmp_path: Path) -> None:
    """Each blob of a Puffin file and each column of a Lance file says its part of the file."""
    byteloom("samples", tmp_path)
    for file, table in (("orders.puffin", "blobs"), ("orders.lance", "columns")):
        shown = json.loads(byteloom("inspect", tmp_path / file, "--json").out)
        assert [each["percent"] for each in shown[table]] == [
            round(100 * each["size"] / shown["size"], 2) for each in shown[table]
        ]
