"""Hudi log files on the command line: `inspect` and `verify` show blocks, torn ones too."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom
from tests.support.hudi_logs import (
    COMMAND,
    DELETES,
    HFILE,
    INSTANT,
    PARQUET,
    ROWS,
    SCHEMA,
    avro_block,
)
from tests.support.hudi_tables import framed, log_block

from byteloom.cli.formats import content, explain
from byteloom.cli.printing.hexdump import segments
from byteloom.hudi.logs import MAGIC
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.sources import BytesSource
from byteloom.wire import Folding, Window
from byteloom_generated.hfile.hudi_log import BlockType, HeaderKey

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.wire import Node

NAME = ".f1-0_20260101000000000.log.1_0-1-0"
LATER = log_block(["key-9"], {HeaderKey.INSTANT_TIME: "20260102000000000"})
TORN = (
    "blocks[1].body at byte 235 (0xeb): found 80 bytes left, wanted 207 bytes: "
    "a torn block of 94 bytes, which readers pass over"
)


def inspected(data: bytes, folding: Folding | None = None) -> Any:
    """Return the report of a log file."""
    return explain(BytesSource(data), folding=folding or Folding())


def nodes(report: Any) -> dict[str, Node]:
    """Return the fields of a report, by their paths."""
    return dict(report.root.leaves())


def test_a_log_has_facts_and_a_table_of_its_blocks() -> None:
    """The facts count all blocks, and the table has each: offset, size, instant, records."""
    report = inspected(ROWS + DELETES + COMMAND + LATER + PARQUET + HFILE)
    assert report.error is None
    assert report.facts == {
        "blocks": 6,
        "torn_blocks": 0,
        "records": 19,
        "deletes": 3,
        "first_instant": "20260101000000000",
        "last_instant": "20260102000000000",
    }
    first, *_ = report.tables["blocks"]
    assert first == {
        "type": "avro_data",
        "offset": 0,
        "size": len(ROWS),
        "instant_time": "20260101000000000",
        "records": 3,
    }
    assert [(each["type"], each["records"]) for each in report.tables["blocks"]] == [
        ("avro_data", 3),
        ("delete", 2),
        ("command", 0),
        ("delete", 1),
        ("parquet_data", 7),
        ("hfile_data", 9),
    ]
    assert report.parts[0]["name"] == "avro_data"


def test_records_are_in_the_tree() -> None:
    """The tree has the headers of a block, and each of its records in the content."""
    found = nodes(inspected(ROWS + DELETES))
    assert found["blocks[0].body.headers.entries[0].value"].value == b"20260101000000000"
    record = found["blocks[0].body.content.records[2].content"]
    assert (record.start, record.size, record.value) == (205, 4, b"\4\4ab")
    listed = found["blocks[1].body.content.list"]
    assert (listed.start, listed.size) == (len(ROWS) + 67, 30)


@pytest.mark.parametrize("data", [b"", b"ab", b"\0\0\0\3\0", b"\0\0\0\3\0\0\0\0"])
def test_each_field_of_a_block_is_one_node(data: bytes) -> None:
    """Fields of the content are inside its node, of damaged content as many as there are."""
    headers = INSTANT | {HeaderKey.SCHEMA: json.dumps(SCHEMA)}
    block = framed(BlockType.AVRO_DATA, data, headers)
    body = inspected(block).root.children[0].children[2]
    names = ["version", "type", "headers", "len_content", "content", "footers"]
    assert [each.name for each in body.children] == names
    assert body.children[4].size == len(data)
    assert len(body.children[4].children) == len(data) // 4


def test_the_records_that_a_tree_shows_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a log with very many records the fields of later blocks are shown, not their records."""
    monkeypatch.setattr(content, "_GLANCE", replace(DEFAULT_LIMITS, objects=48))
    row = {"id": 1, "name": ""}
    report = inspected(avro_block([row] * 12) * 2 + avro_block([row]))
    assert report.error is None
    bodies = [each.children[2] for each in report.root.children]
    assert [len(each.children[4].children) for each in bodies] == [14, 14, 0]


@pytest.mark.parametrize("kind", [BlockType.AVRO_DATA, BlockType.CDC_DATA])
def test_changes_are_shown_like_records(kind: BlockType) -> None:
    """Blocks of changes have records as blocks of data have."""
    found = nodes(inspected(avro_block([{"id": 1, "name": "a"}], kind)))
    assert found["blocks[0].body.content.records[0].content"].size == 3


def test_torn_and_unfinished_blocks_are_in_the_tree() -> None:
    """What is left of a block has its range in the tree, and the first error is shown after it."""
    report = inspected(ROWS + ROWS[:94])
    block = report.root.children[1]
    assert (block.name, block.value, block.start, block.size) == ("blocks[1]", "torn", 221, 94)
    assert str(report.error) == report.tables["blocks"][1]["error"] == TORN
    assert report.facts == {
        "blocks": 2,
        "torn_blocks": 1,
        "records": 3,
        "deletes": 0,
        "first_instant": "20260101000000000",
        "last_instant": "20260101000000000",
    }
    report = inspected(ROWS + ROWS[:94] + DELETES + b"#HU")
    assert [each.value for each in report.root.children] == [
        "avro_data",
        "torn",
        "delete",
        "unfinished",
    ]
    assert nodes(report)["blocks[3].unfinished"].size == 3
    assert str(inspected(ROWS + b"#").error) == (
        "blocks[1].magic at byte 221 (0xdd): found b'#', wanted b'#HUDI#': "
        "an unfinished block, which readers ignore"
    )


def test_fields_before_damage_are_shown() -> None:
    """Of a block with a damaged header, and of damaged records, the fields before are shown."""
    report = inspected(ROWS + DELETES[:17] + b"\2" + DELETES[18:])
    assert report.error.path == "blocks[1].body.version"
    assert list(nodes(report))[-1] == "blocks[1].body.version"
    damaged = ROWS[:197] + b"\x50" + ROWS[198:]
    report = inspected(damaged + DELETES)
    assert report.error.path == "blocks[0].body.content.records[1].content"
    found = nodes(report)
    assert found["blocks[0].body.content.records[1].len_content"].value == 0x50
    assert "blocks[1].body.content.list" in found


@pytest.mark.parametrize(
    ("kind", "path"),
    [(BlockType.HFILE_DATA, "trailer"), (BlockType.PARQUET_DATA, "parquet")],
)
def test_a_file_in_a_block_that_cannot_be_opened_is_an_error(kind: BlockType, path: str) -> None:
    """An HFile or a Parquet file in a block that cannot be opened is an error with its place."""
    block = framed(kind, b"nothing", INSTANT | {HeaderKey.SCHEMA: "{}"})
    error = inspected(ROWS + block).error
    assert error.path.startswith(f"blocks[1].body.content.{path}")
    assert len(ROWS) < error.offset < len(ROWS + block)


def test_every_byte_is_in_one_segment() -> None:
    """The dump of a log, cut anywhere or with any byte changed, has each byte once."""
    whole = ROWS + DELETES + COMMAND
    changed = (whole[:at] + b"\x81" + whole[at + 1 :] for at in range(6, len(whole), 3))
    for data in [*(whole[:size] for size in range(6, len(whole), 7)), *changed]:
        at = 0
        for part in segments(inspected(data).root):
            assert part.start == at
            at = part.end
        assert at == len(data)


def test_many_blocks_are_folded() -> None:
    """Of more than a thousand blocks the others are counted, unless all are wanted."""
    data = DELETES * 1_500
    report = inspected(data)
    assert report.facts["blocks"] == 1_500
    assert len(report.tables["blocks"]) == 1_000
    assert report.root.children[-1].more == 500
    assert len(inspected(data, Folding.none()).tables["blocks"]) == 1_500
    folding = Folding(windows=[Window(0, 7, 2)])
    inspected(data, folding)
    assert folding.shown is not None
    assert [each.name for each in folding.shown[1]] == ["blocks[1007]", "blocks[1008]"]
    assert folding.shown[1][0].children[2].children[4].children


def test_bytes_with_very_many_magics_are_shown() -> None:
    """A log of torn blocks alone has a report, however many there are."""
    report = inspected(MAGIC * 5_000)
    assert report.facts["torn_blocks"] == 1_000
    assert report.root.children


def test_inspect_ends_with_the_error_of_a_torn_block(tmp_path: Path) -> None:
    """`inspect` prints the tree of a log with a torn block, then the error, with status 1."""
    file = tmp_path / NAME
    file.write_bytes(ROWS + ROWS[:94])
    status, out, err = byteloom("inspect", "--depth", 1, file)
    assert (status, err) == (1, f"byteloom: {file}: {TORN}\n")
    assert out.splitlines()[-2:] == [
        "├─ blocks[0]       0   221  'avro_data'",
        "└─ blocks[1]     221    94  'torn'",
    ]


def test_a_sound_log_says_what_was_not_read(tmp_path: Path) -> None:
    """`inspect` of a sound log ends with what it did not read; the document has the blocks."""
    file = tmp_path / NAME
    file.write_bytes(ROWS)
    assert byteloom("inspect", file).out.endswith(
        "\nnot checked: the values of records, and what is in HFiles and Parquet files in blocks; "
        "`byteloom verify` reads all of them\n"
    )
    found = json.loads(byteloom("inspect", "--json", file).out)
    assert (found["format"], found["title"]) == ("hudi_log", "Hudi log file")
    assert [each["records"] for each in found["blocks"]] == [3]
    assert "avro_data" in byteloom("inspect", "--html", file).out


def test_verify_lists_each_finding(tmp_path: Path) -> None:
    """`verify` of a folder has a line for each finding in its logs."""
    file = tmp_path / NAME
    file.write_bytes(ROWS + ROWS[:94])
    (tmp_path / "sound").write_bytes(ROWS + DELETES)
    status, out, _ = byteloom("verify", tmp_path)
    assert status == 1
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        f"damaged {file} {TORN}",
        f"ok {tmp_path}/sound Hudi log file, 2 blocks, 3 records, 2 deletes",
    ]
