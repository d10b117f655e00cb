"""The data sources, and how they are registered with a session.

A session without any registration finds them too: Spark imports each module on the path
whose name begins with ``pyspark_`` and takes its ``DefaultSource``.  There is one such module per
source, because Spark takes only one source from a module.

Source: PySpark's ``sql/worker/lookup_data_sources.py``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from byteloom.spark.scan_rule import add_scan_rule

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SOURCES", "SWITCHES", "register", "source_class"]

SWITCHES: Final = {
    "spark.sql.python.filterPushdown.enabled": "true",
    # Otherwise DataFrames with times of day cannot be counted.
    "spark.sql.timeType.enabled": "true",
}
"""Settings of a session that the sources need, and that are off by default in Spark."""

SOURCES: Final = {
    "byteloom.hfile": "byteloom.spark.sources.hfile:HFileSource",
    "byteloom.hudi": "byteloom.spark.sources.hudi:HudiSource",
    "byteloom.iceberg": "byteloom.spark.sources.iceberg:IcebergSource",
    "byteloom.lance": "byteloom.spark.sources.lance:LanceSource",
    "byteloom.puffin": "byteloom.spark.sources.puffin:PuffinSource",
    "byteloom.records": "byteloom.spark.sources.records:RecordsSource",
}
"""The module and the class of each source."""


def source_class(name: str) -> Any:
    """Return the class of a source of `SOURCES`."""
    module, _, kind = SOURCES[name].partition(":")
    return getattr(import_module(module), kind)


def register(spark: SparkSession) -> None:
    """Make all sources known to a session, and switch on what they need of it: `SWITCHES`.

    Settings made for the session stay as they are.  The session becomes the calling thread's active
    one, where Spark looks for the source with which a DataFrame is written; without this, only the
    thread that made the session has one.

    Args:
        spark: The session.
    """
    _activate(spark)
    add_scan_rule(spark)
    for name in SOURCES:
        spark.dataSource.register(source_class(name))
    given = spark.conf.getAll
    for name, value in SWITCHES.items():
        if name not in given:
            spark.conf.set(name, value)


def _activate(spark: SparkSession) -> None:
    """Make a session the active one of this thread; sessions of Spark Connect need none."""
    session = getattr(spark, "_jsparkSession", None)
    if session is not None:
        kind = spark.sparkContext._gateway.jvm.org.apache.spark.sql.classic.SparkSession  # noqa: SLF001  (there is no public way)
        kind.setActiveSession(session)
