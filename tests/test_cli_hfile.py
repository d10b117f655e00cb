"""`byteloom inspect` and `byteloom verify` on HFiles."""

import json
from pathlib import Path

import pytest
from tests.support.cli import byteloom
from tests.support.hfile_files import Built, Given

CELLS = [[Given(row=b"a"), Given(row=b"b")], [Given(row=b"c")]]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A file of two blocks, under a name that says nothing."""
    path = tmp_path / "0a1b2c"
    path.write_bytes(Built(blocks=CELLS, info={b"schema": b"{}"}).data())
    return path


def test_a_good_file_is_verified_in_one_line(good: Path) -> None:
    """Its dialect and its number of cells."""
    outcome = byteloom("verify", good)
    assert outcome.status == 0
    assert outcome.out.endswith("HFile, hbase, 3 cells\n")


def test_a_wrong_count_is_damage(tmp_path: Path) -> None:
    """Where, found and wanted stand in the line."""
    path = tmp_path / "wrong"
    path.write_bytes(Built(blocks=CELLS, said={7: 4}).data())
    outcome = byteloom("verify", path)
    assert outcome.status == 1
    assert "trailer.entry_count at byte" in outcome.out
    assert "found 4, wanted 3" in outcome.out


def test_inspect_tells_dialect_file_info_and_blocks(good: Path) -> None:
    """Facts, what the writer had to say, and each block with its place."""
    outcome = byteloom("inspect", good, "--json")
    told = json.loads(outcome.out)
    assert outcome.status == 0
    assert (told["format"], told["facts"]["dialect"], told["facts"]["cells"]) == (
        "hfile",
        "hbase",
        3,
    )
    assert told["properties"]["schema"] == "{}"
    names = [node["name"].partition(" ")[0] for node in told["structure"]]
    assert names == ["data", "data", "root_index", "root_index", "file_info", "trailer"]
    assert told["structure"][-1]["offset"] + 4096 == good.stat().st_size


def test_inspect_lists_the_blocks_before_the_damage(good: Path) -> None:
    """With the end cut off, what lies before it is still there."""
    good.write_bytes(good.read_bytes()[:-1])
    outcome = byteloom("inspect", good, "--json")
    told = json.loads(outcome.out)
    assert outcome.status == 1
    assert told["error"]["path"].startswith("trailer")
    assert [node["name"] for node in told["structure"][:2]] == ["data (block 0)", "data (block 1)"]
