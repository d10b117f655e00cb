"""Whatever is done to a table, its rows are those of a plain model of it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from tests.support.model_tables import ModelledTable

MANY = range(100, 3000)


def check(seed: int) -> None:
    """Change a table by drawn steps; a failure lists them."""
    draw = Random(seed)
    with TemporaryDirectory() as folder:
        modelled = ModelledTable(Path(folder), draw)
        try:
            modelled.begin()
            for _ in range(draw.randint(1, modelled.wanted.most)):
                modelled.step()
            modelled.check_all()
        except Exception as error:
            error.add_note("\n".join(modelled.log))
            raise


@pytest.mark.parametrize("seed", range(12))
def test_any_steps_leave_the_rows_of_the_model(seed: int) -> None:
    """Branches have them after each step, snapshots and tags at the end, and nothing is wrong."""
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_many_steps_leave_the_rows_of_the_model(seed: int) -> None:
    """The same for thousands of tables."""
    check(seed)
