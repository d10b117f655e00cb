"""`inspect` says what share of a file each kind of its parts takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom

from byteloom.cli.printing.report import parts_of, percent
from byteloom.cli.sample_files import write_samples
from byteloom.wire import Node

if TYPE_CHECKING:
    from pathlib import Path


def rows(root: Node, *, by_value: bool = False) -> list[tuple[str, int, int, float]]:
    """Return the parts of *root* as tuples."""
    keys = ("name", "count", "size", "percent")
    found = parts_of(root, by_value=by_value)
    return [(each[keys[0]], each[keys[1]], each[keys[2]], each[keys[3]]) for each in found]


def test_elements_of_one_field_are_one_part_and_other_bytes_are_gaps() -> None:
    """Numbers of elements do not count, folded nodes do, and shares are of the whole file."""
    nodes = [
        Node(name="a[0]", start=0, end=10, value="x"),
        Node(name="a[1]", start=15, end=25, value="y"),
        Node(name="a[2]", start=25, end=40, value="x", more=3),
        Node(name="end", start=90, end=99),
    ]
    root = Node(name="", start=0, end=100, children=nodes)
    assert rows(root) == [("a[]", 5, 35, 35.0), ("end", 1, 9, 9.0), ("(gap)", 3, 56, 56.0)]
    assert [each[:3] for each in rows(root, by_value=True)[:2]] == [("x", 4, 25), ("y", 1, 10)]


def test_bytes_of_two_nodes_are_no_gap() -> None:
    """Nodes may overlap, and be in any order: a gap is what none of them has."""
    nodes = [Node(name=name, start=at, end=end) for name, at, end in (("b", 4, 6), ("a", 0, 9))]
    root = Node(name="", start=0, end=10, children=nodes)
    assert [each[:3] for each in rows(root)] == [("b", 1, 2), ("a", 1, 9), ("(gap)", 1, 1)]


def test_parts_of_the_only_record_are_parts_of_the_file() -> None:
    """Where all nodes are in one record, these are the parts; what is after it is a gap."""
    inner = [Node(name="magic", start=0, end=4), Node(name="notes[0]", start=4, end=8)]
    record = Node(name="notes", start=0, end=8, children=inner)
    root = Node(name="", start=0, end=10, children=[record])
    assert [each[:3] for each in rows(root)] == [
        ("magic", 1, 4), ("notes[]", 1, 4), ("(gap)", 1, 2),
    ]  # fmt: skip


def test_a_single_part_has_no_table() -> None:
    """A file of one part, and a calculated value beside it, need no shares; nor does no file."""
    whole = Node(name="a", start=0, end=4)
    value = Node(name="v", start=0, end=0, placed=False)
    assert rows(Node(name="", start=0, end=4, children=[whole, value])) == []
    assert rows(Node(name="", start=0, end=0)) == []
    assert percent(0, 0) == 0


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
    write_samples(tmp_path)
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
    write_samples(tmp_path)
    for file, table in (("orders.puffin", "blobs"), ("orders.lance", "columns")):
        shown = json.loads(byteloom("inspect", tmp_path / file, "--json").out)
        assert [each["percent"] for each in shown[table]] == [
            round(100 * each["size"] / shown["size"], 2) for each in shown[table]
        ]
