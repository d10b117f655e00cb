"""What `spark_faults` wrote, read without Spark: all of it, and nothing beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from byteloom import lance
from byteloom.hfile import HFileFolder

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["numbers_in", "run_faults"]

_ROOT = Path(__file__).parents[2]
_WAIT = 300
"""Seconds, fewer than the slow attempt of a task takes."""


def run_faults(folder: Path, names: Iterable[str], *options: str) -> dict[str, Any]:
    """Make runs of these names; return what happened in each."""
    command = [sys.executable, "-m", "tests.support.spark_faults", *options, str(folder), *names]
    run = subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, timeout=_WAIT, check=False
    )
    assert run.returncode == 0, run.stderr[-4000:]
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def numbers_in(folder: Path) -> list[int]:
    """Return the numbers of all rows of a Lance dataset, or of a folder of HFiles, in order.

    No other files may be there.
    """
    if (folder / "_versions").exists():
        return sorted(_of_lance(folder))
    return sorted(_of_hfiles(folder))


def _of_lance(folder: Path) -> list[int]:
    made = lance.open_dataset(folder)
    files = {each.name for each in (folder / "data").iterdir()}
    assert files == {file.path for each in made.manifest.fragments for file in each.files}
    assert made.version == len(list((folder / "_versions").iterdir()))
    numbers: list[int] = made.to_table().column(0).to_pylist()
    return numbers


def _of_hfiles(folder: Path) -> list[int]:
    with HFileFolder(folder) as files:
        names = {each.name for each in folder.iterdir()}
        assert len(names) == len(files.parts) + 1
        assert "_SUCCESS" in names
        rows = [part.file.read(["row"])["row"].to_pylist() for part in files.parts]
    return [int(each) for part in rows for each in part]
