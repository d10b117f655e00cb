"""Large table metadata takes a bounded multiple of its size in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.support.memory import PEAK

if TYPE_CHECKING:
    from pathlib import Path

_MOST: Final = 20
"""What users cannot live with is sixteen times: 4 GB for 250 MB."""

_PROGRAM: Final = f"""{PEAK}
from byteloom.iceberg import open_table
before = peak()
table = open_table(sys.argv[1])
print(len(table.metadata.snapshots), peak() - before)
"""


def _snapshot(number: int) -> dict[str, Any]:
    """Return a snapshot with the summary that Spark writes."""
    return {
        "sequence-number": number,
        "snapshot-id": number,
        "timestamp-ms": 1_600_000_000_000 + number,
        "summary": {"operation": "append", **{f"total-{each}": str(number) for each in range(15)}},
        "manifest-list": f"s3://bucket/table/metadata/snap-{number}-1-5c65a38d-5077-46a5.avro",
        "schema-id": 0,
    }


@pytest.mark.slow
@pytest.mark.parametrize("count", [20_000, 100_000])
def test_memory_stays_below_a_multiple_of_the_file(tmp_path: Path, count: int) -> None:
    """A metadata file of many snapshots opens in less than twenty times its size."""
    document = {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "s3://bucket/table",
        "last-sequence-number": count,
        "last-updated-ms": 1_700_000_000_000,
        "last-column-id": 1,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": []}],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "last-partition-id": 999,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "snapshots": [_snapshot(each) for each in range(1, count + 1)],
    }
    path = tmp_path / "v1.metadata.json"
    path.write_text(json.dumps(document))
    command = [sys.executable, "-c", _PROGRAM, str(path)]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    snapshots, used = map(int, output.split())
    assert snapshots == count
    assert used < _MOST * path.stat().st_size
