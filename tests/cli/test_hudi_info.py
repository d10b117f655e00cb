"""``byteloom hudi info``: what properties and timeline say of a Hudi table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import byteloom
from tests.support.hudi_indexed import made

if TYPE_CHECKING:
    from pathlib import Path

PROPERTIES = """
hoodie.table.name=trips
hoodie.table.type=MERGE_ON_READ
hoodie.table.recordkey.fields=id,day
hoodie.table.partition.fields=city
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write a table with known properties and a pending compaction later than its commits."""
    root = made().write(tmp_path)
    with (root / ".hoodie/hoodie.properties").open("a") as file:
        file.write(PROPERTIES)
    timeline = root / ".hoodie/timeline"
    folder = timeline if timeline.exists() else root / ".hoodie"
    (folder / "99990101000000000.compaction.requested").write_bytes(b"{}")
    return root


def test_one_document_has_all_facts(root: Path) -> None:
    """Properties, counts of instants, and the latest completed instant are in one document."""
    found = json.loads(byteloom("hudi", "info", root, "--json").out)
    assert (found["name"], found["type"]) == ("trips", "MERGE_ON_READ")
    assert found["record_key_fields"] == ["id", "day"]
    assert found["partition_fields"] == ["city"]
    assert found["timeline"]["compaction"] == {"requested": 1}
    assert found["latest_completed"]["time"] < "9999"
    assert "record_index" in found["metadata_partitions"]


def test_text_has_a_line_for_each_action_and_state(root: Path) -> None:
    """Text shows several values of a fact below each other."""
    lines = byteloom("hudi", "info", root).out.splitlines()
    assert any(line.endswith("1 compaction requested") for line in lines)
    assert any(line.split() == ["type", "MERGE_ON_READ"] for line in lines)


def test_a_folder_without_a_table_is_refused(tmp_path: Path) -> None:
    """A folder that is no Hudi table is named on stderr, with status 1."""
    found = byteloom("hudi", "info", tmp_path)
    assert found.status == 1
    assert f"{tmp_path}: found no .hoodie/hoodie.properties" in found.err
