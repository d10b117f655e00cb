"""A process that fails or is killed at any step leaves a table with the acknowledged commits."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from tests.support.crashing import ACKNOWLEDGED

from byteloom.iceberg import create_table, open_table

AFTER = {"append": [1, 2, 3, 4], "delete": [1, 3], "overwrite": [1, 2, 5]}
STEPS = 60
"""More calls to the file system than a commit makes."""

SAMPLE = [
    ("append", 5, "kill"),
    ("append", 12, "fail"),
    ("append", 32, "fail"),
    ("delete", 14, "kill"),
    ("overwrite", 16, "fail"),
    ("overwrite", 1000, "fail"),
]
_DRAWN = random.Random(37)
MANY = [
    (_DRAWN.choice(sorted(AFTER)), _DRAWN.randint(1, STEPS), _DRAWN.choice(["kill", "fail"]))
    for _ in range(1000)
]


def _check(tmp_path: Path, verb: str, number: int, way: str) -> None:
    """Change a table, with a failure at a step, and look what became of it."""
    properties = {"write.delete.mode": "merge-on-read"}
    table = create_table(tmp_path / "t", pa.schema({"id": pa.int64()}), properties=properties)
    table.append(pa.table({"id": [1, 2, 3]}))
    program = [sys.executable, "-m", "tests.support.crashing", str(tmp_path / "t")]
    command = [*program, verb, str(number), way]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode in (0, -9), done.stderr
    found = open_table(tmp_path / "t")
    rows = sorted(found.scan().to_table()["id"].to_pylist())
    if ACKNOWLEDGED in done.stdout:
        assert rows == AFTER[verb]
    elif way == "fail":
        assert rows == [1, 2, 3]
    else:  # killed between the commit and its acknowledgement, or before it
        assert rows in ([1, 2, 3], AFTER[verb])
    assert found.verify() == []
    again = found.append(pa.table({"id": [9]}))
    assert sorted(again.scan().to_table()["id"].to_pylist()) == [*rows, 9]
    assert again.verify() == []


@pytest.mark.parametrize(("verb", "number", "way"), SAMPLE)
def test_a_failure_at_a_step_leaves_a_sound_table(
    tmp_path: Path, verb: str, number: int, way: str
) -> None:
    """The table has what was acknowledged, and takes the next commit."""
    _check(tmp_path, verb, number, way)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(MANY)))
def test_failures_at_drawn_steps_leave_sound_tables(tmp_path: Path, number: int) -> None:
    """A thousand failures and kills, drawn by a seed."""
    _check(tmp_path, *MANY[number])
