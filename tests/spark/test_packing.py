"""Work is divided into tasks of a size, and into groups of about one weight."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.spark.packing import OPENING, balanced, packed, part_size

PARTS = 3 * (os.cpu_count() or 1)
MIB = 1 << 20


@given(st.integers(32 * MIB * PARTS, 256 * MIB * PARTS))
def test_each_processor_has_three_tasks(total: int) -> None:
    """Work is divided into three tasks for each processor, without a small extra task."""
    assert -(-total // part_size(total)) == PARTS


@given(st.integers(0, 1 << 50))
def test_tasks_are_neither_tiny_nor_huge(total: int) -> None:
    """A part has from 32 to 256 MiB, however much there is."""
    assert 32 * MIB <= part_size(total) <= 256 * MIB


@given(st.integers(0, 1 << 50), st.integers(1, 1 << 40))
def test_a_size_that_is_asked_for_is_taken(total: int, asked: int) -> None:
    """A requested part size overrides the one that suits this machine."""
    assert part_size(total, asked) == asked


def test_pieces_are_packed_in_their_order() -> None:
    """Pieces are packed in order up to a size, each at least as large as opening a file costs."""
    pieces = [
        (name, int(size * OPENING)) for name, size in zip("abcdef", (1, 2, 9, 0, 0, 1), strict=True)
    ]
    assert packed(pieces, 3 * OPENING) == [["a", "b"], ["c"], ["d", "e", "f"]]
    assert packed(pieces, 1) == [[each] for each in "abcdef"]
    assert packed([], 5) == []


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
