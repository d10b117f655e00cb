"""Arrays become arrays of the stored types, whatever they are slices of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.lance_tables import difference

from byteloom import lance
from byteloom.lance.writing.stored_arrays import as_stored

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 60
UUIDS = pa.ExtensionArray.from_storage(
    pa.uuid(), pa.array([bytes([row]) * 16 for row in range(ROWS)], pa.binary(16))
)
MASK = pa.array([row % 7 == 0 for row in range(ROWS)])
ENDS = [0, *(2 * row for row in range(1, ROWS + 1))]
NUMBERS = pa.array(range(2 * ROWS))
PAIRS = pa.ExtensionArray.from_storage(
    pa.uuid(), pa.array([bytes([row]) * 16 for row in range(2 * ROWS)], pa.binary(16))
)
LISTS = pa.ListArray.from_arrays(pa.array(ENDS, pa.int32()), NUMBERS)
LARGE = pa.LargeListArray.from_arrays(pa.array(ENDS, pa.int64()), NUMBERS)
NULLS = pa.LargeListArray.from_arrays(pa.array(ENDS, pa.int64()), pa.nulls(2 * ROWS))
UUID_LISTS = pa.ListArray.from_arrays(pa.array(ENDS, pa.int32()), PAIRS, mask=MASK)
VECTORS = pa.FixedSizeListArray.from_arrays(PAIRS, 2, mask=MASK)
TEXTS = pa.array([f"text {row}" for row in range(ROWS)], pa.string_view())
STORED = {pa.uuid(): pa.binary(16), pa.string_view(): pa.string()}


def struct(*columns: pa.Array) -> pa.Array:
    """Columns as a struct that is null in some rows."""
    return pa.StructArray.from_arrays(
        columns, [f"c{each}" for each in range(len(columns))], mask=MASK
    )


def stored(type_: pa.DataType) -> pa.DataType:
    """The type with stored types inside."""
    if pa.types.is_struct(type_):
        return pa.struct([each.with_type(stored(each.type)) for each in type_])
    if pa.types.is_fixed_size_list(type_):
        return pa.list_(stored(type_.value_type), type_.list_size)
    if pa.types.is_list(type_):
        return pa.list_(stored(type_.value_type))
    return STORED.get(type_, type_)


def values(row: object) -> object:
    """A value with the bytes of uuids."""
    if isinstance(row, dict):
        return {name: values(each) for name, each in row.items()}
    if isinstance(row, list):
        return list(map(values, row))
    return getattr(row, "bytes", row)


@pytest.mark.parametrize("start", [0, 5, 59, 60])
@pytest.mark.parametrize(
    "array",
    [
        struct(NULLS, UUIDS),
        struct(LARGE, UUIDS),
        struct(LISTS, TEXTS),
        struct(UUID_LISTS, LISTS),
        struct(VECTORS, LARGE),
        struct(struct(LISTS, UUIDS), LARGE),
        UUID_LISTS,
        VECTORS,
    ],
    ids=lambda array: str(array.type)[:40],
)
def test_slices_keep_their_rows(array: pa.Array, start: int) -> None:
    """A slice, and slices put together, have the same rows in the stored type, and are valid."""
    part = array.slice(start, 20)
    made = as_stored(part, stored(array.type))
    made.validate(full=True)
    assert made.type == stored(array.type)
    assert made.to_pylist() == [values(each) for each in part.to_pylist()]
    assert pa.concat_arrays([made, made]).to_pylist() == 2 * made.to_pylist()


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_batches_of_slices_are_read_as_they_were_given(tmp_path: Path, version: str) -> None:
    """Batches of structs with lists of nulls beside an extension type are read as given."""
    table = pa.table({"s": struct(NULLS, UUIDS)})
    batches = [table.slice(first, 7) for first in range(0, ROWS, 7)]
    with lance.LanceWriter(tmp_path / "x", table.schema, version=version, page_size=300) as writer:
        for batch in batches:
            writer.write(batch)
    with lance.open(tmp_path / "x") as file:
        assert difference(file.to_table(), table) is None


@pytest.mark.parametrize(
    "array", [LISTS, LARGE, UUID_LISTS, VECTORS], ids=lambda each: str(each.type)
)
def test_slices_have_no_items_but_their_own(array: pa.Array) -> None:
    """Items of other rows are left out, so that many slices do not cost all items each."""
    assert len(as_stored(array.slice(5, 3), stored(array.type)).values) == 6
