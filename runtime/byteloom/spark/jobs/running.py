"""Run a plain function over groups of work in the executors of a session.

- What runs there is a function of a module, called with one group: it does not depend on Spark, so
  tests call it directly.
- If a job ends early, even by Ctrl-C, its running tasks are cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar
from uuid import uuid4

from byteloom.spark.errors import plain_errors

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["Shown", "merge_all", "parallelism", "run_all", "watched"]

Shown: TypeAlias = Callable[[int, int], None]
"""Called with the number of groups done, and of all."""

_T = TypeVar("_T")
_R = TypeVar("_R")

_TICK: Final = 1.0
"""Seconds between reports of progress."""

_DEPTH: Final = 3
"""Levels of the tree in which results are merged."""

_PROPERTIES: Final = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
"""The properties that a job group sets for the calling thread."""


def parallelism(spark: SparkSession) -> int:
    """Return how many tasks the session runs at a time."""
    return int(spark.sparkContext.defaultParallelism)


def run_all(
    spark: SparkSession,
    what: str,
    groups: Sequence[_T],
    work: Callable[[_T], _R],
    shown: Shown | None = None,
) -> list[_R]:
    """Return the result of *work* for each of *groups*, in their order.

    raises the `ByteloomError` that ended a task

    Args:
        what: Description of the job for Spark's own pages: ``byteloom: audit``.
        work: A function of a module, or a `partial` of one.
        shown: Called about once a second with the numbers of groups done and in all.
    """
    if not groups:
        return []
    with watched(spark, what, len(groups), shown) as context:
        return list(context.parallelize(groups, len(groups)).map(work).collect())


def merge_all(  # noqa: PLR0913, PLR0917  what is done, to what, and how it is put together
    spark: SparkSession,
    what: str,
    groups: Sequence[_T],
    work: Callable[[_T], _R],
    merge: Callable[[_R, _R], _R],
    shown: Shown | None = None,
) -> _R:
    """Return the results of *work* for *groups*, at least one, merged in executors as a tree.

    Args:
        merge: Joins two results, in either order; the other arguments are those of `run_all`.
    """
    with watched(spark, what, len(groups), shown) as context:
        made = context.parallelize(groups, len(groups)).map(work)
        result: _R = made.treeReduce(merge, _DEPTH)
        return result


@contextmanager
def watched(
    spark: SparkSession, what: str, total: int, shown: Shown | None
) -> Iterator[SparkContext]:
    """Yield the context for one job; cancel its remaining tasks if the block raises.

    Args:
        total: Number of groups; *shown* is called with the number done.
    """
    context = spark.sparkContext
    before = {name: context.getLocalProperty(name) for name in _PROPERTIES}
    group = f"byteloom-{uuid4().hex}"
    context.setJobGroup(group, what)
    over = Event()
    watcher = Thread(target=_report, args=(context, group, total, shown, over), daemon=True)
    if shown is not None:
        watcher.start()
    try:
        with plain_errors():
            yield context
    except BaseException:
        context.cancelJobGroup(group)
        raise
    finally:
        over.set()
        if shown is not None:
            watcher.join()
        for name, value in before.items():
            context.setLocalProperty(name, value)


def _report(context: SparkContext, group: str, total: int, shown: Shown, over: Event) -> None:
    """Report once a second how many tasks of the first stage are done, until the job is over."""
    tracker = context.statusTracker()
    while not over.wait(_TICK):
        jobs = [tracker.getJobInfo(each) for each in tracker.getJobIdsForGroup(group)]
        stages = [tracker.getStageInfo(each) for job in jobs if job for each in job.stageIds]
        done = sum(each.numCompletedTasks for each in stages if each is not None)
        shown(min(done, total), total)
