"""Rows of benchmarks are updated in pages."""

import pytest
from tests.support.speed import Side, compared, updated

PAGE = """| what | times as fast | byteloom | peer |
|---|---|---|---|
| a sum | 1.00 (1.00 to 1.00) | 3 ms | NumPy 2.1.0: 3 ms |
| a sum | 2.00 (1.00 to 3.00) | 3 ms | polars 1.0: 6 ms |
"""


def test_a_row_replaces_that_of_the_same_words_and_peer() -> None:
    """A row replaces the one of the same work and peer, of any version."""
    row = "| a sum | 4.00 (4.00 to 4.00) | 1 ms | NumPy 2.2.0-rc1: 4 ms |"
    lines = PAGE.splitlines()
    assert updated(PAGE, row).splitlines() == [*lines[:2], row, lines[3]]


def test_an_unknown_row_changes_nothing() -> None:
    """A measurement of work that a page does not list leaves the page unchanged."""
    assert updated(PAGE, "| a mean | 1.00 (1.00 to 1.00) | 1 ms | NumPy 2.1.0: 1 ms |") == PAGE


def test_a_ratio_is_of_one_turn(capsys: pytest.CaptureFixture[str]) -> None:
    """A ratio is the median of single turns, with the least and the greatest."""
    ours, theirs = iter([9.0, 1.0, 2.0, 4.0]), iter([9.0, 6.0, 4.0, 4.0])
    peer = Side("peer 1", lambda: next(theirs), 2)
    compared("work", "s", Side("byteloom", lambda: next(ours)), peer, turns=3)
    wanted = "work: 1.00 (0.50 to 3.00) times as fast; byteloom 2.00 s, peer 1: 2.00 s"
    assert capsys.readouterr().out.strip() == wanted
