"""Our files take as few bytes as those of pylance 14.0.2: a twentieth more at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_kinds import EVERYDAY, kinds
from tests.support.pylance_files import written

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

VERSIONS = ["2.0", "2.1", "2.2"]
ROWS = 40_000
MOST = 1.05
"""Greatest share of the bytes that pylance needs."""


def share(column: pa.Array, version: str, folder: Path) -> float:
    """The bytes that we need for a column, by those that pylance needs."""
    table = pa.table({"c": column})
    ours, theirs = folder / "ours.lance", folder / "theirs.lance"
    with lance.LanceWriter(ours, table.schema, version=version) as writer:
        writer.write(table)
    written(theirs, table, version)
    return ours.stat().st_size / theirs.stat().st_size


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", kinds(1))
def test_the_columns_of_the_benchmark_are_as_small(name: str, version: str, tmp_path: Path) -> None:
    """Each of the nine kinds of columns that the benchmark reads and writes."""
    column = kinds(ROWS)[name](np.random.default_rng(7))
    assert share(column, version, tmp_path) <= MOST


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", EVERYDAY)
def test_everyday_columns_are_as_small(name: str, version: str, tmp_path: Path) -> None:
    """Prices, times, texts, lists and others, with many nulls, few values, or runs of them."""
    column = EVERYDAY[name](np.random.default_rng(7), ROWS)
    assert share(column, version, tmp_path) <= MOST
