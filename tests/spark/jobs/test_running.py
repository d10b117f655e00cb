"""Plain functions run over groups in executors; errors and progress reach the driver."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import pytest

from byteloom.errors import ByteloomError, FormatError, StorageError
from byteloom.spark.jobs.running import merge_all, parallelism, run_all


def _squared(number: int) -> int:
    return number * number


def _refused(number: int, error: ByteloomError) -> int:
    if number == 3:
        raise error
    return number


def _slow(number: int) -> int:
    time.sleep(0.7)
    return number


def _added(one: int, other: int) -> int:
    return one + other


def test_results_come_in_the_order_of_their_groups(spark: Any) -> None:
    """Each group has one result, in the order of the groups."""
    assert run_all(spark, "test", range(20), _squared) == [each * each for each in range(20)]
    assert parallelism(spark) == 2


def test_no_groups_are_no_job(spark: Any) -> None:
    """Without groups, no job runs and the result is empty."""
    assert run_all(spark, "test", [], _squared) == []


@pytest.mark.parametrize("groups", [1, 2, 17])
def test_results_are_merged(spark: Any, groups: int) -> None:
    """The merged result includes every group's result, however many groups there are."""
    assert merge_all(spark, "test", range(groups), _squared, _added) == sum(
        each * each for each in range(groups)
    )


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            FormatError("footer.magic", 8, b"PAR1", "PFA1").in_file("a.puffin"),
            r"^a\.puffin: footer",
        ),
        (StorageError("s3://b/x: Access Denied"), "^s3://b/x: Access Denied$"),
    ],
)
def test_an_error_of_an_executor_is_raised_in_the_driver(
    spark: Any, error: ByteloomError, text: str
) -> None:
    """An executor's error is raised with its own class and text, and Spark's error as its cause."""
    with pytest.raises(type(error), match=text) as raised:
        run_all(spark, "test", range(8), partial(_refused, error=error))
    assert str(raised.value) == str(error)
    assert raised.value.__cause__ is not None


def test_progress_is_reported_while_a_job_runs(spark: Any) -> None:
    """While a job runs, the number of finished groups is reported, and never falls."""
    seen: list[tuple[int, int]] = []
    run_all(spark, "test", range(8), _slow, lambda *each: seen.append(each))
    assert {total for _, total in seen} == {8}
    assert 0 < seen[-1][0] <= 8
    assert seen == sorted(seen)


def test_a_job_leaves_the_session_as_it_was(spark: Any) -> None:
    """After a job, or its error, the caller's own job group is restored."""
    context = spark.sparkContext
    context.setJobGroup("mine", "what I do")
    try:
        run_all(spark, "test", range(2), _squared)
        assert context.getLocalProperty("spark.jobGroup.id") == "mine"
        assert context.getLocalProperty("spark.job.description") == "what I do"
        with pytest.raises(StorageError):
            run_all(spark, "test", range(8), partial(_refused, error=StorageError("gone")))
        assert context.getLocalProperty("spark.jobGroup.id") == "mine"
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
        context.setLocalProperty("spark.job.description", None)
