"""Jobs on Spark: how an audit scales with cores, and planning beside one process.

    make bench ONLY=spark_jobs

- The audit is of 10,000 small files, Puffin files with a sketch and HFiles of 500 cells; a process
  for each number of cores, whose first audit, which loads everything, is not measured.
- Planning of a million files is beside `TableScan.plan` in one process. Both begin with its
  metadata; Spark's counts the rows of the DataFrame, with and without the check, a pass of its own.
- A task that does nothing shows what each task costs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.iceberg_fixtures import ManyFiles, cached_many_files
from tests.support.timing import best

from byteloom.hfile import HFileWriter
from byteloom.iceberg.table import open_table
from byteloom.puffin import PuffinWriter, ThetaSketch

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.bench, pytest.mark.peer("pyspark")]

FILES = 10_000
PLANNED = 1_000_000

AUDIT = """
import json, sys, time
from byteloom.spark import session
from byteloom.spark.jobs import audit

cores, few, folder = sys.argv[1:]
spark = session(cores=int(cores))
audit(spark, few)
times = []
for _ in range(3):
    start = time.perf_counter()
    counts = audit(spark, folder).counts
    times.append(time.perf_counter() - start)
print(json.dumps([min(times), counts["ok"]]))
"""

PLAN = """
import json, sys, time
from byteloom.iceberg.table import open_table
from byteloom.spark import session
from byteloom.spark.jobs import plan
from byteloom.spark.jobs.running import run_all

place, few = sys.argv[1:]
spark = session(cores=2)
run_all(spark, "nothing", range(8), abs)
plan(spark, open_table(few).scan()).count()

def best(run):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)

def planned(check):
    return lambda: plan(spark, open_table(place).scan(), check=check).count()

tasks = 400
print(json.dumps({
    "checked": best(planned(True)),
    "lazy": best(planned(False)),
    "files": planned(False)(),
    "task": best(lambda: run_all(spark, "nothing", range(tasks), abs)) / tasks,
}))
"""


def run(program: str, *arguments: object) -> Any:
    """The last line that a program in a process of its own prints, as JSON."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def folders() -> Iterator[Path]:
    """A folder of a few files, and one of all; made once on a machine."""
    for count in (20, FILES):
        root = Path(gettempdir()) / f"byteloom-audited-files-{count}"
        for number in range(count):
            place = root / f"{number % 100:02}" / f"{number}"
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                (write_puffin if number % 2 else write_hfile)(place, number)
        yield root


def write_puffin(place: Path, number: int) -> None:
    """Write a file with one sketch, of 3,000 values."""
    sketch = ThetaSketch.from_arrow(pa.array(range(number, number + 3_000)))
    with PuffinWriter(place) as writer:
        writer.add_theta_sketch(
            sketch, fields=[1], snapshot_id=1, sequence_number=1, compression="zstd"
        )


def write_hfile(place: Path, number: int) -> None:
    """Write a file of 500 cells."""
    rows = [f"{number:06}-{each:04}".encode() for each in range(500)]
    values = [f"the value of cell {each} of {number}".encode() for each in range(500)]
    with HFileWriter(place, compression="GZ", blooms=["ROW"], threads=1) as writer:
        writer.write(pa.table({"row": rows, "value": values}))


def test_an_audit_scales_with_cores() -> None:
    """Prints the times of an audit on one core and on two."""
    few, folder = folders()
    seconds = {}
    for cores in (1, 2):
        seconds[cores], checked = run(AUDIT, cores, few, folder)
        assert checked == FILES
        print(f"\n{cores} core(s): {FILES:,} files in {seconds[cores]:.2f} s", end="")
    print(f"\n2 cores: {seconds[1] / seconds[2]:.2f} times as fast")


def test_a_million_files_are_planned() -> None:
    """Prints the time to plan a million files, compared with one process of two threads."""
    place = cached_many_files(ManyFiles(PLANNED, manifests=200))
    few = cached_many_files(ManyFiles(1_000, manifests=10))
    found = run(PLAN, place, few)
    local = best(lambda: len(open_table(place).scan().plan()), 3)
    assert found["files"] == PLANNED
    for name, words in (("lazy", "unchecked"), ("checked", "checked")):
        seconds = found[name]
        rate, ratio = PLANNED / seconds / 1e6, local / seconds
        print(
            f"\n{words}: {seconds:.2f} s, {rate:.2f} M files/s, {ratio:.2f} of one process's rate"
        )
    print(f"one process: {local:.2f} s; a task costs {found['task'] * 1000:.1f} ms")
