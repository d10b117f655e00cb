"""Written Lance files of version 2.0: a column for each field, encoded as releases do."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.support.written_lance import check_written, planned, written

from byteloom.errors import FormatError, Unsupported


@pytest.mark.parametrize("type_", [pa.int32(), pa.bool_(), pa.string(), pa.list_(pa.int8())])
@pytest.mark.parametrize("rows", [1, 7, 8, 9])
def test_a_slice_is_written_as_its_rows_alone(rows: int, type_: pa.DataType) -> None:
    """Wherever a slice begins, its file has the bytes of one of the same rows in a new array."""
    make: Any = {pa.bool_(): bool, pa.string(): str, pa.int32(): int}.get(type_, range)
    numbers = [1, None, 0, None, None, 1, 0, 1] * 4
    values = [None if each is None else make(each) for each in numbers]
    for nulls in (values, [each for each in values if each is not None]):
        column = pa.array(nulls, type_)
        for first in (0, 3, 8):
            part = column.slice(first, rows)
            alone = pa.array(part.to_pylist(), type_)
            found = written(pa.table({"c": part}), "2.0")
            assert found == written(pa.table({"c": alone}), "2.0")


@pytest.mark.parametrize(
    ("array", "name"),
    [
        (pa.array([{"a": 1}, None]), "rows.c: found 1 nulls"),
        (pa.array([[{"a": {"b": 1}}, {"a": None}]]), r"rows.c.item.a: found 1 nulls"),
    ],
)
def test_structs_that_are_null_are_refused(array: pa.Array, name: str) -> None:
    """Null structs, which version 2.0 cannot store, are refused, except below a null list."""
    with pytest.raises(Unsupported, match=name):
        written(pa.table({"c": array}), "2.0")
    structs = pa.array([{"a": 1}, None, {"a": 2}])
    offsets, mask = pa.array([0, 1, 2, 3], pa.int32()), pa.array([False, True, False])
    table = pa.table({"c": pa.ListArray.from_arrays(offsets, structs, mask=mask)})
    check_written(table, "2.0")


def test_a_struct_has_one_page() -> None:
    """The column of a struct has one page of all rows, though its fields have many."""
    table = pa.table({"c": pa.array([[{"a": n, "b": [n]}] for n in range(1000)])})
    lists, structs, numbers, inner, items = check_written(table, "2.0", page_size=500)
    assert structs == ["struct"]
    assert len(lists) == len(numbers) == len(inner) == len(items) > 3
    assert str(planned(table, "2.0")[-1]) == (
        "c.item: rows 0 to 999: array struct, 0 bytes: version 2.0 has nothing smaller for its type"
    )


@pytest.mark.parametrize(("rows", "few"), [(99, 5), (100, 99), (100, 100), (5000, 99)])
def test_text_of_few_values_is_stored_as_their_numbers(rows: int, few: int) -> None:
    """Text of 100 rows or more with fewer than 100 values is stored as a dictionary."""
    table = pa.table({"c": pa.array([f"text {n % few}" for n in range(rows - 1)] + [None])})
    ((found,),) = check_written(table, "2.0")
    is_coded = rows >= 100 and len(table["c"].unique()) - 1 < 100
    assert found.startswith("dictionary" if is_coded else "binary")


def test_bytes_below_null_text_are_not_stored() -> None:
    """Bytes that an array has below a null text are not written."""
    hidden = pa.array(["secret"] * 3)
    bitmap = pa.array([True, False, True]).buffers()[1]
    array = pa.Array.from_buffers(pa.string(), 3, [bitmap, *hidden.buffers()[1:]])
    table = pa.table({"c": array})
    data = written(table, "2.0")
    assert data.count(b"secret") == 2
    check_written(table, "2.0")


@pytest.mark.parametrize("compression", ["fsst", "lz4", "zstd", "none"])
def test_metadata_asks_for_a_compression_of_text(compression: str) -> None:
    """Metadata of a field chooses the compression of text and bytes; numbers ignore it."""
    metadata = {"lance-encoding:compression": compression}
    texts: Any = [*(f"https://example.org/{n}" for n in range(999)), None]
    arrays = [pa.array(texts, pa.large_string()), pa.array(texts).cast(pa.binary())]
    arrays.append(pa.array(range(1000)))
    fields = [pa.field(str(each.type), each.type, metadata=metadata) for each in arrays]
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    (text,), (raw,), (numbers,) = check_written(table, "2.0")
    assert (compression in text) == (compression in raw) == (compression != "none")
    assert compression not in numbers
    plain = pa.Table.from_arrays(table.columns, table.column_names)
    sizes = [len(written(each, "2.0")) for each in (table, plain)]
    assert (sizes[0] < 0.8 * sizes[1]) == (compression != "none")


def test_a_dictionary_has_room_for_null() -> None:
    """Unused items give way to a null item; a dictionary that needs one more is refused."""
    items = pa.array([f"item {n}" for n in range(128)])
    indices = pa.array([*range(100, 128), None], pa.int8())
    table = pa.table({"c": pa.DictionaryArray.from_arrays(indices, items)})
    check_written(table, "2.0")
    indices = pa.array([*range(128), None], pa.int8())
    table = pa.table({"c": pa.DictionaryArray.from_arrays(indices, items)})
    with pytest.raises(Unsupported, match=r"rows\.c: found 129 items, wanted at most 128"):
        written(table, "2.0")
    full = pa.table({"c": pa.DictionaryArray.from_arrays(indices[:128], items)})
    check_written(full, "2.0")


@pytest.mark.parametrize("items", [pa.array([1.5, 2.5, None]), pa.array([b"", None, b"x"])])
def test_a_dictionary_has_any_items(items: pa.Array) -> None:
    """Items of a dictionary may be numbers or bytes, and null."""
    array = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 1, 0], pa.uint8()), items)
    table = pa.table({"c": array})
    check_written(table, "2.0")


def test_maps_are_refused() -> None:
    """Version 2.0 refuses maps."""
    with pytest.raises(Unsupported, match=r"schema\.c: found map<"):
        written(pa.table({"c": pa.array([], pa.map_(pa.string(), pa.int8()))}), "2.0")


def test_metadata_that_means_nothing_is_refused() -> None:
    """Metadata with an unknown compression is refused, in nested fields too."""
    field = pa.field("x", pa.string(), metadata={"lance-encoding:compression": "rar"})
    schema = pa.schema([("c", pa.list_(pa.struct([field])))])
    with pytest.raises(FormatError, match=r"schema\.c\.item\.x\.metadata.*found 'rar'"):
        written(schema.empty_table(), "2.0")
