"""Distinct values of a table of ten million rows, compared with one sketch over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import datasketches
import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_rows import TableMaker, arrow, deletion_vectors, parquet

from byteloom import puffin
from byteloom.puffin import ThetaSketch
from byteloom.spark.jobs import ndv

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

FILES = 20
ROWS = 500_000
DELETED = 3
"""Each third row of every other file is deleted."""


def columns(number: int) -> dict[str, pa.Array]:
    """The rows of a file: distinct numbers, repeated ones, text, and numbers with nulls."""
    random = np.random.default_rng(number)
    few = random.integers(0, 50_000, ROWS)
    return {
        "id": pa.array(np.arange(number * ROWS, (number + 1) * ROWS)),
        "customer": pa.array(random.integers(0, 3_000_000, ROWS)),
        "name": pa.array(few).cast(pa.string()),
        "voucher": pa.array(few, mask=few % 10 > 0),
    }


def is_live(number: int) -> Any:
    """Whether each row of a file is live."""
    return np.arange(ROWS) % DELETED > 0 if number % 2 == 0 else np.full(ROWS, fill_value=True)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A table of version 3 with deletion vectors."""
    root = tmp_path_factory.mktemp("large")
    types = {"id": "long", "customer": "long", "name": "string", "voucher": "long"}
    named = [(field_id, *each) for field_id, each in enumerate(types.items(), 1)]
    maker = TableMaker(root, named, version=3)
    data = []
    for number in range(FILES):
        held = {(key, name): columns(number)[name] for key, name, _ in named}
        data.append(parquet(root / "data" / f"{number}.parquet", arrow(held)))
    maker.commit(*data)
    gone = {each.path: range(0, ROWS, DELETED) for each in data[::2]}
    maker.commit(*deletion_vectors(root / "data" / "gone.puffin", gone), operation="delete")
    return maker.open()


@pytest.mark.slow
def test_ten_million_rows_have_the_sketch_of_all_values(
    spark: Any, table: Table, tmp_path: Path
) -> None:
    """Executors' sketches equal those of one process byte for byte, and bound the exact count."""
    place = str(tmp_path / "large.stats")
    ndv(spark, table, output=place)
    left = [pa.table(columns(number)).filter(pa.array(is_live(number))) for number in range(FILES)]
    live = pa.concat_tables(left)
    with puffin.open(place) as file:
        for name, blob in zip(live.column_names, file.blobs, strict=True):
            sketch = ThetaSketch.from_arrow(live[name])
            stored = file.read(blob)
            assert ThetaSketch.from_bytes(stored).to_bytes() == sketch.to_bytes()
            theirs = datasketches.compact_theta_sketch.deserialize(stored)
            assert theirs.get_estimate() == sketch.estimate
            exact = len(live[name].unique().drop_null())
            assert theirs.get_lower_bound(3) <= exact <= theirs.get_upper_bound(3)
