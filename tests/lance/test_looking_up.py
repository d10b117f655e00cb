"""Items of dictionaries are found by loops as Arrow finds them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.lance.looking_up import items_at

ITEMS = [
    pa.array(["", "a", "bc", "\xe4\xf6"]),
    pa.array([b"\xff", b"", b"abc"], pa.large_binary()),
    pa.array([5, -7, 1 << 62]),
    pa.array([1.5, float("inf")], pa.float32()),
    pa.array([1, None, 3], pa.int16()),
    pa.array([None, "a"]),
    pa.array([True, False]),
]


@pytest.mark.parametrize("count", [0, 100, 4_095, 4_096, 9_000])
@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.int64()])
@pytest.mark.parametrize("items", ITEMS, ids=lambda each: str(each.type))
def test_items_are_those_that_arrow_takes(items: pa.Array, kind: pa.DataType, count: int) -> None:
    """Few and many numbers, of any width, refer to the items that Arrow takes."""
    numbers = np.random.default_rng(count).integers(0, len(items), count)
    for mask in (None, np.arange(count) % 5 == 0):
        wanted = pa.array(numbers, kind, mask=mask)
        found = items_at(items, wanted)
        found.validate(full=True)
        assert found.equals(items.take(wanted))


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
