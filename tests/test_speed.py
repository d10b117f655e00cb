"""Rows of benchmarks are updated in pages."""

import pytest
from tests.support.speed import Side, compared, summarised, updated

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


def test_a_new_row_is_the_last_below_its_heading() -> None:
    """A row of work that a page does not list is added to the table of its subject."""
    row = "| a mean | 1.00 (1.00 to 1.00) | 1 ms | NumPy 2.1.0: 1 ms |"
    page = f"# Benchmarks\n\n## Sums\n\n{PAGE}\n## Others\n\n{PAGE}"
    wanted = f"# Benchmarks\n\n## Sums\n\n{PAGE}{row}\n\n## Others\n\n{PAGE}"
    assert updated(page, row, "Sums") == wanted
    assert updated("# Benchmarks", row, "Means").endswith(f"---|\n{row}\n")


def test_a_heading_has_a_line_that_names_what_is_slower() -> None:
    """Below each heading stands how many comparisons are lost, and which, the worst first."""
    lost = PAGE.replace("1.00 (1.00", "0.94 (0.90").replace("2.00 (1.00", "0.50 (0.40")
    page = f"# Benchmarks\n\n## Sums\n\n{lost}\n## Others\n\n{PAGE}"
    found = summarised(page)
    named = "Slower: a sum (polars): 0.50; a sum (NumPy): 0.94."
    assert f"## Sums\n\nAt least as fast as the peer in 0 of 2 comparisons. {named}\n" in found
    assert "## Others\n\nAt least as fast as the peer in 2 of 2 comparisons.\n" in found
    assert summarised(found) == found


def test_a_ratio_is_of_one_turn(capsys: pytest.CaptureFixture[str]) -> None:
    """A ratio is the median of single turns, with the least and the greatest."""
    ours, theirs = iter([9.0, 1.0, 2.0, 4.0]), iter([9.0, 6.0, 4.0, 4.0])
    peer = Side("peer 1", lambda: next(theirs), 2)
    compared("work", "s", Side("byteloom", lambda: next(ours)), peer, turns=3)
    wanted = "work: 1.00 (0.50 to 3.00) times as fast; byteloom 2.00 s, peer 1: 2.00 s"
    assert capsys.readouterr().out.strip() == wanted
