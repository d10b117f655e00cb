"""The jobs run unchanged on a cluster whose executors have no byteloom of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.spark_cluster import Cluster
from tests.support.spark_faults import ROWS
from tests.support.spark_results import numbers_in, run_faults
from tests.support.spark_tables import deleted_table

from byteloom import lance, puffin
from byteloom.hfile import HFileFolder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.peer("pyspark"), pytest.mark.slow]

PROGRAM = """
import json, os, sys
from pathlib import Path
from byteloom.iceberg import open_table
from byteloom.spark import session, ship
from byteloom.spark.jobs import audit, ndv, plan, to_hfile, to_lance
from byteloom.spark.jobs.running import run_all

url, python, root = sys.argv[1:]
spark = session(config={
    "spark.master": url, "spark.pyspark.python": python, "spark.executor.memory": "1g",
    "spark.executor.cores": "1",
})
ship(spark)

def where(_):
    import byteloom
    return byteloom.__file__, os.getpid()

table = open_table(f"{root}/table")
scan = table.scan("id > 70")
homes = run_all(spark, "where", range(8), where)
statistics = ndv(spark, table, output=f"{root}/table.stats")
planned = plan(spark, scan).count()
checked = audit(spark, f"{root}/table")
exported = to_lance(spark, scan, f"{root}/lance")
rows = spark.read.format("byteloom.iceberg").load(f"{root}/table").selectExpr(
    "cast(id as string) k", "city v")
to_hfile(spark, rows, f"{root}/index", key="k", value="v", partitions=4)
print(json.dumps({
    "homes": sorted({home for home, _ in homes}),
    "processes": len({process for _, process in homes}),
    "planned": planned,
    "counts": checked.counts,
    "rows": exported.count(),
}))
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One master and two workers."""
    with Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def test_all_jobs_run_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    """Executors use the byteloom sent to them, and each result is that of one process."""
    table = deleted_table(tmp_path / "table", files=12, rows=200)
    command = [sys.executable, "-c", PROGRAM, cluster.url, str(cluster.python), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-4000:]
    found = json.loads(run.stdout.splitlines()[-1])
    scan = table.scan("id > 70")
    assert all("/content/byteloom/" in each for each in found["homes"])
    assert found["processes"] == 2
    assert found["planned"] == len(scan.plan())
    assert found["counts"]["damaged"] == found["counts"]["unreadable"] == 0
    assert found["rows"] == scan.count() == lance.open_dataset(tmp_path / "lance").count()
    with puffin.open(tmp_path / "table.stats") as file:
        ids = table.scan(columns=["id"]).to_table()["id"]
        assert file.theta_sketch(file.blobs[0]) == puffin.ThetaSketch.from_arrow(ids)
    with HFileFolder(tmp_path / "index") as files:
        assert files.num_rows == table.scan().count()


def test_of_a_task_that_runs_twice_at_a_time_one_attempt_counts(
    cluster: Cluster, tmp_path: Path
) -> None:
    """The result of a task that Spark starts twice has the rows of one attempt only."""
    runs = ["lance-slow", "hfile-slow"]
    outcomes = run_faults(tmp_path, runs, "--cluster", cluster.url, str(cluster.python))
    for run in runs:
        assert outcomes[run] == {"failed": 0, "error": None}
        assert numbers_in(tmp_path / run) == list(range(ROWS))
