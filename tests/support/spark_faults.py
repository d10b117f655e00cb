"""Writes and jobs on Spark whose workers are killed, or whose tasks fail; a program of its own.

It takes a folder and names of runs, puts the result of each run below that folder, and prints as
JSON how many tasks failed in each, and what error ended it.  Its session repeats a task twice, as
that of other tests does not, or it runs on a cluster.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from argparse import ArgumentParser
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter
from tests.support import spark_daemon
from tests.support.spark_daemon import ARMED
from tests.support.spark_tables import deleted_table

from byteloom.spark import error_of, session, ship
from byteloom.spark.jobs import audit, ndv, plan, to_hfile, to_lance
from byteloom.spark.sources.hfile import HFileSource
from byteloom.spark.sources.lance import LanceSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from byteloom.iceberg.table import Table

    _Job = Callable[[SparkSession, Table, str], None]

__all__ = ["BEFORE", "LASTING", "ROWS"]

ROWS = 100_000
BEFORE = 1_000
"""Rows that were there before a write that fails."""
_BATCH = 5_000
_LONG = 600
"""Seconds, more than a test waits."""
_PAGE = 4096
"""Bytes that a file may have where the disk is full."""
LASTING = ("lost", "full")
"""Faults of every attempt, over rows that were there before."""


class _Faulty(DataSourceArrowWriter):  # type: ignore[misc]  # of no known type
    """A sink of ours, whose task of the second partition does not go well.

    fault  ``killed``: its worker is killed when it has had half of its rows, once
           ``late``: it fails after it has written all of them, once
           ``lost``: it is killed each time
           ``full``: no file that it writes may be longer than a page, as if the disk were full
           ``slow``: its first attempt takes longer than a test waits
    """

    def __init__(self, sink: Any, fault: str) -> None:
        self._sink, self._fault = sink, fault

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Any:
        """Write the rows of a partition."""
        context = TaskContext.get()
        assert context is not None
        is_chosen = context.partitionId() == 1
        if not is_chosen or (context.attemptNumber() and self._fault not in LASTING):
            return self._sink.write(iterator)
        if self._fault == "full":
            with _short_files():
                return self._sink.write(iterator)
        if self._fault == "late":
            self._sink.write(iterator)
            message = "failed when all was written"
            raise RuntimeError(message)
        return self._sink.write(_interrupted(iterator, self._fault))

    def commit(self, messages: list[Any]) -> None:
        """Commit what tasks wrote."""
        self._sink.commit(messages)

    def abort(self, messages: list[Any]) -> None:
        """Remove what tasks wrote."""
        self._sink.abort(messages)


@contextmanager
def _short_files() -> Iterator[None]:
    """Let no file of this process become longer than a page."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_PAGE, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _interrupted(batches: Iterable[pa.RecordBatch], fault: str) -> Iterator[pa.RecordBatch]:
    """Yield half of the rows, then cause the fault."""
    for number, batch in enumerate(batches):
        if number == ROWS // 4 // _BATCH // 2:
            if fault == "slow":
                time.sleep(_LONG)
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        yield batch


class _FaultySource:
    """A source with a fault, as the option ``fault`` says."""

    def __init__(self, options: Any) -> None:
        self._fault = options["fault"]
        super().__init__({key: each for key, each in options.items() if key != "fault"})  # type: ignore[call-arg]

    @classmethod
    def name(cls) -> str:
        """The name by which Spark knows the source."""
        name: str = super().name()  # type: ignore[misc]
        return name.replace("byteloom", "faulty")

    def writer(self, schema: Any, overwrite: bool) -> Any:
        """The sink."""
        return _Faulty(super().writer(schema, overwrite), self._fault)  # type: ignore[misc]


class FaultyLance(_FaultySource, LanceSource):
    """``faulty.lance``."""


class FaultyHFile(_FaultySource, HFileSource):
    """``faulty.hfile``."""


def rows_of(spark: SparkSession, kind: str, count: int) -> DataFrame:
    """Rows in four partitions, as a sink of that kind takes them."""
    rows = spark.range(0, count, 1, 4)
    if kind == "lance":
        return rows
    return rows.selectExpr("cast(format_string('%08d', id) as binary) row", "row value")


def _written(spark: SparkSession, kind: str, fault: str, place: str) -> None:
    """Write rows where the fault happens; over others if it happens each time."""
    is_lasting = fault in LASTING
    if is_lasting:
        rows_of(spark, kind, BEFORE).write.format(f"byteloom.{kind}").mode("append").save(place)
    mode = "overwrite" if is_lasting else "append"
    writer = rows_of(spark, kind, ROWS).write.format(f"faulty.{kind}").mode(mode)
    writer.option("fault", fault).save(place)


def _failed_tasks(spark: SparkSession) -> int:
    """How many attempts of tasks have failed so far."""
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    return sum(jobs.apply(at).numFailedTasks() for at in range(jobs.size()))


def _outcome(spark: SparkSession, run: Callable[[], Any]) -> dict[str, Any]:
    """How many tasks failed in a run, and what error ended it."""
    before, error = _failed_tasks(spark), None
    try:
        run()
    except Exception as raised:  # noqa: BLE001  whatever it is, a test says what it must be
        found = error_of(raised) or raised
        error = [type(found).__name__, str(found)]
    return {"failed": _failed_tasks(spark) - before, "error": error}


def _runs(spark: SparkSession, root: Path) -> dict[str, Callable[[], Any]]:
    """The runs that can be requested, by name."""
    runs: dict[str, Callable[[], Any]] = {
        f"{kind}-{fault}": partial(_written, spark, kind, fault, f"{root}/{kind}-{fault}")
        for kind, fault in product(("lance", "hfile"), ("killed", "late", "slow", *LASTING))
    }
    whole = partial(deleted_table, root / "table", files=8, rows=ROWS)
    cut = partial(_cut_table, root / "cut")
    for name, job in {"ndv": _ndv, "to_hfile": _to_hfile, "to_lance": _to_lance}.items():
        runs[name] = partial(_killed, spark, job, whole, root / name)
        runs[f"cut-{name}"] = partial(_on_table, spark, job, cut, root / f"cut-{name}")
    for name, job in {"audit": _audit, "plan": _plan}.items():
        runs[name] = partial(_killed, spark, job, cut, root / name)
    return runs


def _ndv(spark: SparkSession, table: Table, target: str) -> None:
    ndv(spark, table, output=target)


def _to_hfile(spark: SparkSession, table: Table, target: str) -> None:
    rows = spark.read.format("byteloom.iceberg").load(table.metadata_location)
    to_hfile(spark, rows.selectExpr("cast(id as string) k"), target, key="k", partitions=4)


def _to_lance(spark: SparkSession, table: Table, target: str) -> None:
    to_lance(spark, table.scan(), target)


def _audit(spark: SparkSession, table: Table, target: str) -> None:
    found = audit(spark, table.metadata.location)
    rows = [each.asDict() for each in found.findings.collect()]
    Path(target).write_text(json.dumps({"counts": found.counts, "findings": rows}))


def _plan(spark: SparkSession, table: Table, target: str) -> None:
    rows = plan(spark, table.scan(), check=False).select("file_path", "record_count").collect()
    Path(target).write_text(json.dumps(dict(rows)))


def _on_table(spark: SparkSession, job: _Job, made: Callable[[], Table], target: Path) -> None:
    job(spark, made(), str(target))


def _killed(spark: SparkSession, job: _Job, made: Callable[[], Table], target: Path) -> None:
    """Run a job on a table, and kill the worker of its first task."""
    table = made()
    armed = Path(os.environ[ARMED])
    armed.touch()
    try:
        job(spark, table, str(target))
    finally:
        armed.unlink()


def _cut_table(root: Path) -> Table:
    """A table of which one file lacks its end."""
    table = deleted_table(root, files=4, rows=100)
    path = root / "data" / "3.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    return table


def main() -> None:
    """Print what happened, as JSON."""
    parser = ArgumentParser()
    parser.add_argument("--cluster", nargs=2, metavar=("URL", "PYTHON"))
    parser.add_argument("place", type=Path)
    parser.add_argument("names", nargs="+")
    given = parser.parse_args()
    os.environ[ARMED] = str(given.place / "armed")
    config = {"spark.sql.execution.arrow.maxRecordsPerBatch": _BATCH}
    spark = session(memory="1g", config=config | _settings(given.cluster))
    if given.cluster:
        ship(spark)
    for source in (FaultyLance, FaultyHFile):
        spark.dataSource.register(source)
    runs = _runs(spark, given.place)
    print(json.dumps({name: _outcome(spark, runs[name]) for name in given.names}))
    spark.stop()


def _settings(cluster: Sequence[str] | None) -> dict[str, Any]:
    """The settings of a session that repeats failed tasks, and slow ones on a cluster."""
    if cluster is None:
        return {
            "spark.master": "local[2, 3]",
            "spark.python.daemon.module": spark_daemon.__name__,
        }
    return {
        "spark.master": cluster[0],
        "spark.pyspark.python": cluster[1],
        "spark.executor.memory": "1g",
        "spark.executor.cores": 1,
        "spark.speculation": True,
        "spark.speculation.interval": "100ms",
        "spark.speculation.minTaskRuntime": "100ms",
        "spark.speculation.multiplier": 1.1,
        "spark.speculation.quantile": 0.5,
    }


if __name__ == "__main__":
    main()
