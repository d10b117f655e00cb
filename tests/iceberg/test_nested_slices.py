"""Lists and maps of a file are projected whatever their form, and from any of their rows on."""

from __future__ import annotations

import pyarrow as pa
import pytest

from byteloom.iceberg.reading.projection import Columns, project
from byteloom.iceberg.types import ListType, MapType, NestedField, parse_primitive

LONG = parse_primitive("long")
LISTS = [[1, 2], None, [3, 4], [5, 6]]
MAPS = [[(1, 2)], None, [(3, 4), (5, None)], []]
NUMBERS = {b"PARQUET:field_id": b"1"}
KEY, VALUE = pa.field("key", pa.int64(), nullable=False), pa.field("value", pa.int64())
PAIR = pa.struct([KEY, VALUE])


def pairs(of: pa.DataType) -> pa.Array:
    """The maps as lists of pairs."""
    return pa.array(
        [each and [{"key": key, "value": value} for key, value in each] for each in MAPS], of
    )


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize(
    "stored",
    [
        pa.array(LISTS, pa.list_(pa.int64())),
        pa.array(LISTS, pa.large_list(pa.int64())),
        pa.array(LISTS, pa.list_(pa.int64(), 2)),
        pa.array(MAPS, pa.map_(KEY, VALUE)),
        pairs(pa.list_(PAIR)),
        pairs(pa.large_list(PAIR)),
    ],
    ids=lambda each: str(each.type),
)
def test_rows_from_any_on_are_those_rows(stored: pa.Array, start: int) -> None:
    """Nothing of the rows before them is left."""
    is_list = stored.to_pylist()[0] == LISTS[0]
    of = ListType(2, LONG, False) if is_list else MapType(2, LONG, 3, LONG, False)
    rows = stored.slice(start)
    field = pa.field("c", stored.type, metadata=NUMBERS)
    found = project(NestedField(1, "c", of, False), Columns([field], [rows], len(rows)))
    found.validate(full=True)
    assert found.to_pylist() == (LISTS if is_list else MAPS)[start:]
    items = found.values if is_list else found.keys
    ends = found.offsets.to_pylist()
    assert (ends[0], ends[-1]) == (0, len(items))
