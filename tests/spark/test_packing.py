"""How many tasks read what there is."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from byteloom.spark.packing import part_size

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
