"""A job whose process is killed shows nothing, and can be run again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.spark_tables import deleted_table

from byteloom import lance
from byteloom.errors import FormatError
from byteloom.hfile import HFileFolder
from byteloom.iceberg import open_table
from byteloom.spark.jobs import to_hfile, to_lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow  # some twenty seconds each

PROGRAM = """
import sys
from byteloom.iceberg import open_table
from byteloom.spark import session
from byteloom.spark.jobs import to_hfile, to_lance

job, source, target = sys.argv[1:]
spark = session(cores=1, memory="1g")
if job == "to_lance":
    to_lance(spark, open_table(source).scan(), target)
else:
    rows = spark.range(600_000).selectExpr("cast(id as string) k", "repeat('v', 50) v")
    to_hfile(spark, rows, target, key="k", value="v", partitions=12)
print("done")
"""


def _killed(job: str, source: Path, target: Path) -> None:
    """Run a job, and kill it when it has written its first file."""
    command = [sys.executable, "-c", PROGRAM, job, str(source), str(target)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as run:
        while run.poll() is None and not any(_files(target)):
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        assert run.stdout is not None
        assert run.stdout.read() == b""
    assert run.returncode == -signal.SIGKILL


def _files(target: Path) -> list[Path]:
    return [each for each in target.rglob("*") if each.is_file()]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that takes some seconds to export."""
    root = tmp_path_factory.mktemp("killed")
    deleted_table(root, files=80, rows=2_000)
    return root


def test_a_killed_export_is_no_dataset(spark: Any, table: Path, tmp_path: Path) -> None:
    """A killed export leaves no version; the next run makes version 1 with all rows."""
    _killed("to_lance", table, tmp_path / "d")
    with pytest.raises(FormatError, match="no Lance dataset"):
        lance.open_dataset(tmp_path / "d")
    scan = open_table(table).scan()
    made = to_lance(spark, scan, tmp_path / "d")
    assert (made.version, made.count()) == (1, scan.count())


def test_a_killed_build_shows_no_file(spark: Any, table: Path, tmp_path: Path) -> None:
    """A killed build leaves no visible HFile; the next run can write into the same folder."""
    target = tmp_path / "index"
    _killed("to_hfile", table, target)
    assert [each for each in target.iterdir() if each.name[0] not in "._"] == []
    rows = spark.range(1000).selectExpr("cast(id as string) k")
    to_hfile(spark, rows, str(target), key="k", partitions=2)
    with HFileFolder(target) as files:
        assert files.num_rows == 1000
