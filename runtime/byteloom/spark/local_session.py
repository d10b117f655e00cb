"""A Spark session on this machine, without anything to set up.

Source: https://spark.apache.org/docs/latest/configuration.html
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from byteloom.arguments import whole_number
from byteloom.errors import ByteloomError
from byteloom.extras import installing
from byteloom.spark.java import find_java, launcher_home
from byteloom.spark.registering import SWITCHES, register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["chosen_daemon", "session"]

_MIB: Final = 1 << 20
_SHARE: Final = 4
"""The machine's memory is divided by this for Java: Python's workers need the rest."""
_LEAST, _MOST = 1024, 8192
"""Least and most MiB for Java by default."""
_BATCH: Final = 100_000
"""Rows of an Arrow batch that Spark makes, for a writer of byteloom or for `toArrow`."""

_LOGGING: Final = Path(__file__).with_name("log4j2.properties")

_JAVA_OPTIONS: Final = (
    f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}",
    # On Java 17, Arrow's own checks of each access halve what goes through a Python worker.
    "-Darrow.enable_unsafe_memory_access=true",
    "-Darrow.enable_null_check_for_get=false",
)


def session(
    *,
    cores: int | None = None,
    memory: str | None = None,
    config: Mapping[str, Any] | None = None,
    name: str = "byteloom",
) -> SparkSession:
    """Return a session with all sources of byteloom; the active one, if there is one already.

    Args:
        cores: Number of tasks that run at the same time; None for one per processor.
        memory: Memory of Java, such as ``4g``; by default a quarter of the machine's, from 1 to
            8 GiB.
        config: Settings of Spark, such as ``spark.master``, which override those made here.
        name: Name of the application.

    Raises:
        ByteloomError: Pyspark, or a Java that it runs on, is not installed.
    """
    spark_session = _session_class()
    if cores is not None:
        whole_number("cores", cores, "a number of cores, 1 or more", least=1)
    active = spark_session.getActiveSession()
    if active is None:
        settings = _settings(cores, memory) | {key: str(each) for key, each in _given(config)}
        settings = chosen_daemon(settings) | settings
        builder = spark_session.builder.appName(name)
        for key, value in settings.items():
            builder = builder.config(key, value)
        with _environment(settings):
            active = builder.getOrCreate()
    register(active)
    return active


def _session_class() -> Any:
    """Return the class of sessions; `ByteloomError` if pyspark is not installed."""
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        wanted = f"wanted what `{installing('spark')}` installs"
        raise ByteloomError(f"pyspark cannot be imported ({error}), {wanted}") from error
    return SparkSession


def _given(config: Mapping[str, Any] | None) -> Iterator[tuple[str, Any]]:
    """Yield the caller's settings in Spark's form."""
    for key, value in (config or {}).items():
        yield key, str(value).lower() if isinstance(value, bool) else value


def _settings(cores: int | None, memory: str | None) -> dict[str, str]:
    """Return the settings that apply unless the caller sets them."""
    count = cores or _processors()
    return {
        "spark.master": f"local[{count}]",
        "spark.driver.memory": memory or f"{_java_memory()}m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.defaultJavaOptions": " ".join(_JAVA_OPTIONS),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.python.unix.domain.socket.enabled": "true",  # halves what a task costs
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(_BATCH),
        "spark.sql.shuffle.partitions": str(count),
        **SWITCHES,
    }


def chosen_daemon(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the setting that makes Python's workers end quietly, if they have byteloom.

    Args:
        settings: The session's settings; only workers on this machine that run this interpreter
            are known to have byteloom.
    """
    master, python = settings["spark.master"], _chosen_python(settings) or sys.executable
    if python != sys.executable or not (master == "local" or master.startswith("local[")):
        return {}
    return {"spark.python.daemon.module": "byteloom.spark.worker_daemon"}


def _chosen_python(settings: Mapping[str, str]) -> str | None:
    """Return the interpreter that the caller wants for workers; None for this one."""
    return settings.get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON")


def _processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _java_memory() -> int:
    """Return the MiB of memory for Java."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        text = Path("/sys/fs/cgroup/memory.max").read_text("ascii").strip()
    except OSError:
        text = "max"
    bound = int(text) if text.isdecimal() else total  # the container's limit, if there is one
    return max(_LEAST, min(_MOST, min(total, bound) // _SHARE // _MIB))


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Set what Spark reads from the environment while it starts, and restore the old values."""
    python = _chosen_python(settings)
    driver = settings.get("spark.pyspark.driver.python") or os.environ.get("PYSPARK_DRIVER_PYTHON")
    wanted = {
        "JAVA_HOME": str(launcher_home(find_java())),
        "PYSPARK_PYTHON": python or sys.executable,
        "PYSPARK_DRIVER_PYTHON": driver or sys.executable,
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
