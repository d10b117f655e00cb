"""The example of a cluster job runs on a standalone master with two workers.

The workers' Python has what byteloom needs, and no byteloom: the job sends it to them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import venv
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyspark
import pytest
from tests.support.java import SHORT

from byteloom import lance, puffin
from byteloom.cli.sample_files import write_samples
from byteloom.hfile import HFileFolder
from byteloom.iceberg import open_table
from byteloom.spark.java import find_java, launcher_home

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = Path(__file__).parents[2] / "examples" / "spark_cluster.py"
HOME = Path(pyspark.__file__).parent
LONGEST = 120
"""Seconds that a process may take to start."""


def environment() -> dict[str, str]:
    """Return the variables with which Spark's own scripts start."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {
        **os.environ,
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_HOME": str(launcher_home(find_java())),
        "PATH": programs,
        "SPARK_DAEMON_JAVA_OPTS": " ".join(SHORT),
    }


@contextmanager
def started(words: list[str], log: Path, pattern: str) -> Iterator[str]:
    """Run a class of Spark until the block ends; yield what *pattern* finds in its log."""
    with log.open("wb") as to:
        command = [str(HOME / "bin" / "spark-class"), *words]
        process = subprocess.Popen(command, stdout=to, stderr=to, env=environment())
    try:
        begun = time.monotonic()
        while not (found := re.search(pattern, log.read_text("utf-8", "replace"))):
            said = log.read_text("utf-8", "replace")[-2000:]
            assert process.poll() is None, said
            assert time.monotonic() - begun < LONGEST, said
            time.sleep(0.1)
        yield found[1]
    finally:
        process.terminate()
        process.wait(LONGEST)


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Run a master with two workers of one core; yield its URL."""
    package = "org.apache.spark.deploy"
    here = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    with ExitStack() as stack:
        words = [f"{package}.master.Master", *here]
        log = folder / "master.log"
        url = stack.enter_context(started(words, log, r"Starting Spark master at (spark://\S+)"))
        for number in range(2):
            work = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work{number}")]
            words = [f"{package}.worker.Worker", *here, *work, url]
            log = folder / f"worker{number}.log"
            stack.enter_context(started(words, log, r"Successfully registered with (master)"))
        yield url


def python_without_byteloom(folder: Path) -> Path:
    """Return a Python that has the libraries of this one, and no byteloom."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    # A line of a .pth file is searched for modules, and not for .pth files, as byteloom's own is.
    (site / "libraries.pth").write_text(f"{Path(pa.__file__).parents[1]}\n")
    python = folder / "bin" / "python"
    command = [str(python), "-c", "import pyarrow, byteloom"]
    lacks = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "No module named 'byteloom'" in lacks.stderr
    return python


@pytest.mark.peer("pyspark")
def test_the_example_runs_on_a_cluster(tmp_path: Path) -> None:
    """`spark-submit` runs it on two executors, and its outputs have the rows of the table."""
    write_samples(tmp_path)
    (tmp_path / "made").mkdir()
    table, python = tmp_path / "orders", python_without_byteloom(tmp_path / "python")
    with cluster(tmp_path) as url:
        settings = ["--conf", "spark.ui.enabled=false", "--conf", "spark.log.level=ERROR"]
        settings += ["--conf", f"spark.executor.extraJavaOptions={' '.join(SHORT)}"]
        command = [str(HOME / "bin" / "spark-submit"), "--master", url, *settings]
        run = subprocess.run(
            [*command, str(EXAMPLE), str(table), str(tmp_path / "made")],
            env={
                **environment(),
                "PYSPARK_DRIVER_PYTHON": sys.executable,
                "PYSPARK_PYTHON": str(python),
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stderr[-5000:]
    rows = open_table(table).scan().to_table()
    sums = rows.group_by("country").aggregate([("cents", "sum")]).to_pylist()
    wanted = sorted(f"{each['country']} {each['cents_sum']}" for each in sums)
    assert run.stdout.splitlines()[: len(sums)] == wanted
    assert f"id: {rows.num_rows} distinct values" in run.stdout
    with puffin.open(tmp_path / "made/orders.stats") as file:
        assert len(file.blobs) == rows.num_columns
    assert lance.open_dataset(tmp_path / "made/orders.lance").count() == rows.num_rows
    with HFileFolder(tmp_path / "made/by-key") as index:
        assert index.num_rows == rows.num_rows
    executors = [each for number in range(2) for each in tmp_path.glob(f"work{number}/app-*/*")]
    assert len(executors) == len({each.parents[1] for each in executors}) == 2
