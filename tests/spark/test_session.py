"""Sessions: ours, those of others, and what they print."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from byteloom.cli.sample_files import write_samples
from byteloom.errors import ArgumentError, ByteloomError, FormatError, Truncated
from byteloom.iceberg import parse
from byteloom.lance import open_dataset, write_dataset
from byteloom.spark import error_of, register, session
from byteloom.spark.errors import plain_errors
from byteloom.spark.local_session import chosen_daemon
from byteloom.spark.worker_daemon import end_quietly

if TYPE_CHECKING:
    from pathlib import Path


def test_the_active_session_is_returned(spark: Any) -> None:
    """Asking for a session returns the active one."""
    assert session(cores=1) is spark


def test_settings_are_those_of_a_local_session(spark: Any) -> None:
    """A session has the requested cores, memory and pushdown, and no web server."""
    conf = spark.sparkContext.getConf()
    assert conf.get("spark.master") == "local[2]"
    assert conf.get("spark.driver.memory") == "1g"
    assert spark.conf.get("spark.sql.python.filterPushdown.enabled") == "true"
    assert spark.sparkContext.uiWebUrl is None
    assert spark.sparkContext.pythonExec == sys.executable


def test_rows_with_times_of_day_are_counted_and_grouped(spark: Any, tmp_path: Path) -> None:
    """Times of day are counted and grouped, in byteloom's sessions and in registered ones."""
    write_dataset(tmp_path / "a", pa.table({"at": pa.array([1, 1, 2], pa.time64("us"))}))
    others = spark.newSession()
    others.conf.unset("spark.sql.timeType.enabled")
    register(others)
    for each in (spark, others):
        frame = each.read.format("byteloom.lance").load(str(tmp_path / "a"))
        assert frame.count() == 3
        assert sorted(row["count"] for row in frame.groupBy("at").count().collect()) == [1, 2]


def test_another_thread_writes_too(spark: Any, tmp_path: Path) -> None:
    """Another thread can write once it has registered the sources."""

    def write() -> int:
        register(spark)
        to = spark.range(3).coalesce(1).write.format("byteloom.lance").mode("append")
        to.save(str(tmp_path / "a"))
        return open_dataset(tmp_path / "a").num_rows

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(write).result() == 3


@pytest.mark.parametrize(
    ("master", "python", "is_ours"),
    [
        ("local", None, True),
        ("local[2, 3]", None, True),
        ("local[2]", sys.executable, True),
        ("local[2]", "/usr/bin/python3.0", False),
        ("local-cluster[2,1,1024]", None, False),
        ("spark://host:7077", None, False),
    ],
)
def test_workers_that_may_lack_byteloom_are_started_by_pyspark_alone(
    monkeypatch: pytest.MonkeyPatch, master: str, python: str | None, *, is_ours: bool
) -> None:
    """Byteloom's daemon starts workers only on this machine and with this interpreter."""
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    if python is not None:
        monkeypatch.setenv("PYSPARK_PYTHON", python)
    wanted = {"spark.python.daemon.module": "byteloom.spark.worker_daemon"} if is_ours else {}
    assert chosen_daemon({"spark.master": master}) == wanted
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    if python is not None:
        assert chosen_daemon({"spark.master": master, "spark.pyspark.python": python}) == wanted


@pytest.mark.parametrize(("name", "is_daemon"), [("pyspark.daemon", True), ("program", False)])
def test_workers_that_pyspark_started_end_quietly_too(
    monkeypatch: pytest.MonkeyPatch, name: str, *, is_daemon: bool
) -> None:
    """A worker of pyspark's daemon ends quietly when its socket is closed.

    Other errors are still raised.
    """

    def worker(connection: Any, _: bool) -> int:
        if connection is None:
            return 0
        raise connection

    main = ModuleType(name)
    main.__dict__.update(worker=worker, __spec__=ModuleSpec(name, None))
    monkeypatch.setitem(sys.modules, "__main__", main)
    end_quietly()
    assert (main.worker is worker) == (not is_daemon)
    if is_daemon:
        assert main.worker(None, True) == 0
        assert (
            main.worker(BrokenPipeError(), True) == main.worker(ConnectionResetError(), True) == 1
        )
        with pytest.raises(ZeroDivisionError):
            main.worker(ZeroDivisionError(), True)


def test_a_number_of_cores_is_checked() -> None:
    """A number of cores below 1 is refused before anything starts."""
    with pytest.raises(FormatError, match=r"^cores: found 0, wanted a number of cores, 1 or more"):
        session(cores=0)


def test_pyspark_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error without pyspark says what to install."""
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(ByteloomError, match=r"wanted what `pip install '\S+\[spark\]'` installs$"):
        session()


def test_the_error_of_a_planner_is_found(spark: Any) -> None:
    """A planner's error has the class and text of that raised in the other process."""
    frame = spark.read.format("byteloom.iceberg").option("colunms", "x")
    with pytest.raises(Exception, match="colunms") as caught:
        frame.load("x")
    found = error_of(caught.value)
    assert type(found) is ArgumentError
    assert str(found).startswith("byteloom.iceberg option: found 'colunms', wanted an option of")
    with pytest.raises(ArgumentError, match=r"^byteloom\.iceberg option: found 'colunms'"):  # noqa: SIM117
        with plain_errors():
            frame.load("x")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Truncated, "a/b: x.y at byte 3 (0x3): found 1 byte, wanted 2 bytes"),
        (FormatError, "no place, and nothing wanted"),
        (ByteloomError, "other words: found and wanted"),
    ],
)
def test_an_error_keeps_its_words(kind: type[ByteloomError], text: str) -> None:
    """An error is found in Spark's text with its class and words, whatever surrounds it."""
    lines = (
        f"Traceback ...\n  byteloom.errors.Old: x\nbyteloom.errors.{kind.__name__}: {text}\n\n at"
    )
    found = error_of(RuntimeError(lines))
    assert type(found) is kind
    assert str(found) == text
    assert error_of(RuntimeError("byteloom.errors is a module")) is None


def test_an_error_of_a_room_is_the_one_that_it_is_derived_from() -> None:
    """A room's own kind of `ArgumentError` is found as an `ArgumentError`, on one line."""
    with pytest.raises(FormatError) as caught:
        parse("id >")
    raised = type(caught.value)
    lines = f"Traceback ...\n{raised.__module__}.{raised.__qualname__}: {caught.value}\n\n\tat x.Y"
    found = error_of(RuntimeError(lines))
    assert raised is not ArgumentError
    assert type(found) is ArgumentError
    assert str(found) == "expression at character 5: found the end, wanted a literal"
    assert error_of(RuntimeError("byteloom.nowhere.Error: x")) is None
    assert error_of(RuntimeError("byteloom.errors.Final: x")) is None


def test_other_exceptions_stay_what_they_are() -> None:
    """An exception without an error of byteloom is raised as it is."""
    with pytest.raises(ZeroDivisionError), plain_errors():
        raise ZeroDivisionError


@pytest.mark.peer("pyspark")
def test_a_newcomer_sees_nothing_but_the_answer(tmp_path: Path) -> None:
    """A first program prints its own lines alone, without Java on the PATH or in JAVA_HOME.

    That holds too where a query does not ask for all rows, and where a relative name is written to.
    """
    write_samples(tmp_path / "samples")
    program = """if True:
        from byteloom.spark import session
        spark = session(cores=1, memory="512m")
        print(spark.range(3).count())
        rows = spark.read.format("byteloom.iceberg").load("samples/orders")
        print(len(rows.limit(2).collect()))
        rows.limit(4).write.format("byteloom.lance").mode("append").save("copy.lance")
        print(spark.read.format("byteloom.lance").load("copy.lance").count())
    """
    unset = {"JAVA_HOME", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "COV_CORE_SOURCE"}
    environment = {name: each for name, each in os.environ.items() if name not in unset}
    environment["PATH"] = _without_java(tmp_path)
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "3\n2\n4\n", "")
    assert {each.name for each in tmp_path.iterdir()} == {"bin", "samples", "copy.lance"}


def _without_java(folder: Path) -> str:
    """A folder with the programs of /usr/bin and /bin, without those of Java."""
    to = folder / "bin"
    to.mkdir()
    for name in ("bash", "sh", "dirname", "env", "ps", "uname", "cat", "head", "chmod", "ls", "rm"):
        for place in ("/bin", "/usr/bin"):
            if os.access(f"{place}/{name}", os.X_OK) and not (to / name).exists():
                (to / name).symlink_to(f"{place}/{name}")
    return str(to)
