"""Where ``byteloom spark`` runs: the options of a session, and the session."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

import byteloom.spark
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.parsers import number, pairs
from byteloom.cli.printing.progress import waiting
from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

__all__ = ["Cluster", "on_spark"]

_LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where Spark runs, and how.

    cores, memory  of a session in this machine
    master         the URL of a cluster; None for this machine
    settings       of Spark's own
    """

    cores: int | None
    memory: str | None
    master: str | None
    settings: dict[str, str]

    @contextmanager
    def session(self) -> Iterator[SparkSession]:
        """Yield a session, which ends with the block; whatever fails in it is a `ByteloomError`."""
        config = dict(self.settings)
        if self.master is not None:
            config["spark.master"] = self.master
        was_running = _is_running()
        with _plain_errors():
            with waiting("starting Spark"):
                spark = byteloom.spark.session(cores=self.cores, memory=self.memory, config=config)
            try:
                if not str(spark.sparkContext.master).startswith(_LOCAL):
                    byteloom.spark.ship(spark)
                yield spark
            finally:
                if not was_running:
                    spark.stop()


def _is_running() -> bool:
    """Whether the process has a session already, which is then left running."""
    module = sys.modules.get("pyspark.sql")
    return module is not None and module.SparkSession.getActiveSession() is not None


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn what Spark itself raises into a `ByteloomError` of one line."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            raise
        line = next((each for each in str(error).splitlines() if each.strip()), "")
        raise ByteloomError(f"Spark: {line.strip() or type(error).__name__}") from error


def _cluster(
    cores: Annotated[
        int | None,
        typer.Option(
            "--cores", parser=number, metavar="NUMBER", help="Parallel tasks, without --master."
        ),
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="SIZE", help="Memory for Java, such as 4g.")
    ] = None,
    master: Annotated[
        str | None,
        typer.Option("--master", metavar="URL", help="A cluster, such as spark://host:7077."),
    ] = None,
    conf: Annotated[
        list[str] | None,
        typer.Option("--conf", metavar="NAME=VALUE", help="A setting of Spark's; repeatable."),
    ] = None,
) -> Cluster:
    if cores == 0:
        raise typer.BadParameter("found 0, wanted 1 or more", param_hint="--cores")
    return Cluster(cores, memory, master, pairs(conf, "--conf"))


on_spark = option_group("on", _cluster)
"""Gives a command the options of a session, and hands it a `Cluster` as *on*."""
