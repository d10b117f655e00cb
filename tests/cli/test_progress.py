"""Long work shows its progress on a terminal, and Ctrl-C ends it cleanly."""

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import PROGRAM, byteloom
from tests.support.terminal import on_terminal, shown_by

WORK = """
import time
from byteloom.cli.printing.progress import progress
with progress("copying", {total}, "{unit}") as shown:
    for _ in range(3):
        time.sleep({pause})
        shown.advance(1000)
"""


LONG = {
    "bytes": (3000, r"copying .* 2\.0 kB of 3\.0 kB, \S+ k?(B|bytes)/s, 0:00:\d\d left"),
    "rows": (3000, r"copying .* 2,000 of 3,000 rows, [\d,]+ rows/s, 0:00:\d\d left"),
    "rows of an unknown number": (None, r"copying .* 2,000 rows, [\d,]+ rows/s"),
}
"""Work that takes longer than a second: how much there is, and what is shown of it."""


def _long(name: str) -> list[str]:
    """Return the command that does long work."""
    work = WORK.format(unit=name.partition(" ")[0], total=LONG[name][0], pause=0.6)
    return [sys.executable, "-c", work]


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """Do all long work at once, since it only waits; return what a terminal shows of each."""
    with ThreadPoolExecutor(len(LONG)) as pool:
        runs = {name: pool.submit(shown_by, _long(name), COLUMNS="100") for name in LONG}
        return {name: each.result().text for name, each in runs.items()}


@pytest.mark.parametrize("name", LONG)
def test_long_work_shows_how_far_it_has_come(name: str, shown: dict[str, str]) -> None:
    """Long work shows the amount done, the rate, and the time left."""
    plain = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown[name])
    assert re.search(LONG[name][1], plain), plain


def test_short_work_shows_nothing() -> None:
    """Work of less than a second shows no progress."""
    program = WORK.format(unit="bytes", total=3000, pause=0)
    assert shown_by([sys.executable, "-c", program]).text == ""


def test_what_cannot_be_measured_is_named() -> None:
    """Work without a measure, such as starting Spark, is named on a terminal, and on it alone."""
    program = "from byteloom.cli.printing.progress import waiting\nwith waiting('starting'): pass"
    command = [sys.executable, "-c", program]
    assert "starting" in shown_by(command).text
    done = subprocess.run(command, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_pipe_is_shown_nothing() -> None:
    """Progress is not shown on a pipe, however long the work takes."""
    done = subprocess.run(_long("bytes"), capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_what_is_counted_is_what_would_be_uncounted(tmp_path: Path) -> None:
    """Verifying, copying and writing give the same results on a terminal."""
    source, file = tmp_path / "cells.csv", tmp_path / "cells.hfile"
    source.write_text("row,value\na,1\nb,2\n")
    outcome = on_terminal("hfile", "build", file, "--from", source, "--sort")
    assert outcome.status == 0
    assert "2 cells, " in outcome.text
    assert "2 cells" in on_terminal("verify", file).text
    out = tmp_path / "out.csv"
    assert on_terminal("hfile", "scan", file, "-o", out, "--columns", "row,value").status == 0
    assert out.read_text() == source.read_text()
    puffin = tmp_path / "file.puffin"
    byteloom("puffin", "create", puffin)
    for data, run in (("one", byteloom), ("two", on_terminal)):
        (tmp_path / data).write_text(data)
        assert run("puffin", "add", puffin, "-t", data, "-d", tmp_path / data).status == 0
    assert [byteloom("puffin", "cat", puffin, kind).out for kind in ("one", "two")] == [
        "one",
        "two",
    ]


def _command(kind: str, folder: Path) -> list[object]:
    """Return a command that takes some seconds and writes a file into a folder of its own."""
    source, out = folder.parent / "rows.parquet", folder / "out"
    if kind == "ndv":
        values = np.random.default_rng(0).integers(0, 1 << 60, 300_000)
        pq.write_table(pa.table({f"column{each}": values for each in range(6)}), source)
        return ["puffin", "ndv", *[source] * 200, "-o", out]
    rows = pa.array(np.arange(10**7, 10**7 + 1_500_000)).cast(pa.string())
    pq.write_table(pa.table({"row": rows, "value": rows}), source)
    return ["hfile", "build", out, "--from", source, "--codec", "GZ"]


@pytest.mark.parametrize("kind", ["ndv", "build"])
def test_ctrl_c_leaves_nothing_half_written(kind: str, tmp_path: Path) -> None:
    """Ctrl-C ends a program soon, without a traceback and without a partial file."""
    folder = tmp_path / "out"
    folder.mkdir()
    command = [*PROGRAM, *map(str, _command(kind, folder))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        while not any(folder.iterdir()) and run.poll() is None:
            sleep(0.01)
        started = monotonic()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate()
        took = monotonic() - started
    assert (run.returncode, out, err) == (130, b"", b"")
    assert os.listdir(folder) == []  # noqa: PTH208  hidden files too
    assert took < 30  # a machine may be busy; by itself it is a moment
