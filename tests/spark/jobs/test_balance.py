"""Work is divided into groups of about one weight."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.spark.packing import balanced


@given(st.lists(st.integers(0, 1 << 40), max_size=60), st.integers(1, 9))
def test_each_item_is_in_one_group(weights: list[int], count: int) -> None:
    """Every item is in one group, in order; there are as many groups as requested, none empty."""
    groups = balanced(range(len(weights)), weights, count)
    assert len(groups) == min(count, len(weights))
    assert all(groups)
    assert sorted(each for group in groups for each in group) == list(range(len(weights)))
    assert all(group == sorted(group) for group in groups)


@pytest.mark.parametrize(
    ("weights", "sums"),
    [
        ([800, 100, 100, 100, 100, 400], [800, 800]),
        ([0, 0, 0, 0], [0, 0]),
        ([900, 10, 10], [900, 20]),
        ([300, 300, 200, 200, 200], [700, 500]),
    ],
)
def test_groups_weigh_about_the_same(weights: list[int], sums: list[int]) -> None:
    """Each item goes, heaviest first, into the lightest group; the heaviest group comes first."""
    groups = balanced(range(len(weights)), weights, 2)
    assert [sum(weights[each] for each in group) for group in groups] == sums


def test_items_that_weigh_nothing_are_spread_too() -> None:
    """A thousand items without weight are spread evenly over eight groups."""
    groups = balanced(range(1000), [0] * 1000, 8)
    assert {len(each) for each in groups} == {125}
