"""Damage to the parts of data files leaves a file of the same size, so that it is looked into."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.fuzz.targets import TARGETS
from tests.fuzz.thrift import parsed, stored

if TYPE_CHECKING:
    from pathlib import Path

DRAWS = 200


@pytest.mark.parametrize("target", ["Parquet parts", "ORC parts"])
def test_damaged_files_have_the_size_that_their_manifest_states(
    target: str, tmp_path: Path
) -> None:
    """Each file differs from the sound one, and almost all have its size."""
    for seed in TARGETS[target].seeds(tmp_path):
        made = [seed.damages[0](Random(number), seed.data) for number in range(DRAWS)]
        assert sum(each != seed.data for each in made) > 0.9 * DRAWS
        assert sum(len(each) == len(seed.data) for each in made) > 0.9 * DRAWS


def test_a_tree_is_stored_as_it_was(tmp_path: Path) -> None:
    """The footer of a file is the same after it was parsed and stored."""
    for seed in TARGETS["Parquet parts"].seeds(tmp_path):
        size = int.from_bytes(seed.data[-8:-4], "little")
        footer = seed.data[-8 - size : -8]
        tree, end = parsed(footer, 0)
        assert end == size
        assert stored(tree) == footer
