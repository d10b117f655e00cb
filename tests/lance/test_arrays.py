"""Values by their numbers: of types of which pyarrow takes others, and items of dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.iceberg import col

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = pa.list_(pa.list_(pa.int32(), 2), 1)
COUNT = 100


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_rows_that_match_are_whole_in_batches_of_any_size(version: str, tmp_path: Path) -> None:
    """A filter finds rows of lists in lists where batches begin inside pages; `take` does, too."""
    count = 20_000
    lists = pa.array([[[n, -n]] for n in range(count)], PAIRS)
    table = pa.table({"id": range(count), "x": lists})
    with lance.LanceWriter(tmp_path / "f.lance", table.schema, version=version) as writer:
        writer.write(table)
    with lance.open(tmp_path / "f.lance") as file:
        for size in (777, 65_536):
            found = file.scan(filter=col("id") >= count - 150, batch_size=size).to_table()
            assert found["x"].to_pylist() == lists.slice(count - 150).to_pylist()
        assert file.take([5, count - 1, 3])["x"].to_pylist() == [
            lists[row].as_py() for row in (5, count - 1, 3)
        ]


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_rows_of_two_columns_of_a_type_are_their_own(version: str, tmp_path: Path) -> None:
    """Two columns of one type are decoded together; `take` and filters find each one's rows."""
    of = pa.list_(pa.list_(pa.int32(), 2), 2)
    a = pa.array([[[n, -n], [n, n]] for n in range(COUNT)], of)
    b = pa.array([[[1000 + n, n], [1, n]] for n in range(COUNT)], of)
    table = pa.table({"id": range(COUNT), "a": a, "b": b})
    lance.write_dataset(tmp_path / "d", table, max_rows_per_file=40, version=version)
    dataset, rows = lance.open_dataset(tmp_path / "d"), [90, 3, 50, 7]
    assert dataset.take(rows).to_pylist() == table.take(rows).to_pylist()
    where = "a is not null and b is not null and id in (3, 7, 50, 90)"
    found = dataset.scan(filter=where).to_table().to_pylist()
    assert found == table.take(sorted(rows)).to_pylist()


def test_a_slice_with_deleted_rows_is_written_as_given(tmp_path: Path) -> None:
    """Columns that are added to a fragment with deleted rows keep their lists in lists."""
    lists = pa.array([[[n, -n]] for n in range(2 * COUNT)], PAIRS)
    lance.write_dataset(tmp_path / "d", pa.table({"id": range(COUNT)}))
    lance.open_dataset(tmp_path / "d").delete(rows=[3, 50])
    dataset = lance.open_dataset(tmp_path / "d")
    dataset.add_columns(pa.table({"x": lists}).slice(COUNT, COUNT - 2))
    found = lance.open_dataset(tmp_path / "d").to_table()["x"].to_pylist()
    assert found == lists.slice(COUNT, COUNT - 2).to_pylist()


@pytest.mark.parametrize("has_nulls", [False, True])
@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_many_texts_of_few_values_are_what_was_written(version: str, *, has_nulls: bool) -> None:
    """A page of text of few values, with nulls or without, is read whole and by row numbers."""
    words = pa.array([f"word {each}" for each in range(7)])
    numbers = np.random.default_rng(7).integers(0, 7, 20_000)
    mask = np.arange(20_000) % 11 == 0 if has_nulls else None
    table = pa.table({"few": words.take(pa.array(numbers, mask=mask))})
    rows = list(range(0, 20_000, 3))
    with lance.open(written(table, version)) as file:
        assert difference(file.to_table(), table) is None
        assert difference(file.take(rows), table.take(rows)) is None
