"""Lance files of version 2.0 that we write: a column for each field, encoded as releases do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.pylance_files import COLUMNS, column
from tests.support.written_lance import HARD, hard, written

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom.lance.describing import encoding_text
from byteloom.lance.writing import LanceWriter
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path

NAMES = list(COLUMNS)
NO_NULL_STRUCTS = [each for each in HARD if each != "null structs"]


def check(table: pa.Table, data: bytes) -> list[list[str]]:
    """Read *data*, which must be *table*, whole and in parts; return how each column is encoded."""
    with lance.open(data) as file:
        assert file.version == "2.0"
        assert difference(file.to_table(), table) is None
        if rows := table.num_rows:
            numbers = np.random.default_rng(rows).integers(0, rows, 20)
            assert difference(file.take(numbers), table.take(numbers)) is None
            found = file.scan(rows=range(rows // 3, rows), batch_size=7).to_table()
            assert difference(found, table.slice(rows // 3)) is None
        return [[encoding_text(p, DEFAULT_LIMITS) for p in each.pages] for each in file.columns()]


@pytest.mark.parametrize("name", NAMES)
def test_a_column_is_read_as_it_was_given(name: str) -> None:
    """Without nulls, with some, and with nothing else, in one page and in many."""
    for rows in (0, 1, 300):
        for nulls in (0, 0.3, 1):
            table = pa.table({"c": column(name, rows, nulls)})
            check(table, written(table, "2.0"))
            check(table, written(table, "2.0", page_size=400))


@pytest.mark.parametrize("name", NO_NULL_STRUCTS)
def test_a_hard_column_is_read_as_it_was_given(name: str) -> None:
    """Nulls inside of nulls, parts of arrays, sparse lists, large values."""
    check(hard(name), written(hard(name), "2.0"))


@pytest.mark.parametrize(
    ("array", "name"),
    [
        (pa.array([{"a": 1}, None]), "rows.c: found 1 nulls"),
        (pa.array([[{"a": {"b": 1}}, {"a": None}]]), r"rows.c.item.a: found 1 nulls"),
    ],
)
def test_structs_that_are_null_are_refused(array: pa.Array, name: str) -> None:
    """The version cannot say so; those in lists that are null are not there."""
    with pytest.raises(Unsupported, match=name):
        written(pa.table({"c": array}), "2.0")
    structs = pa.array([{"a": 1}, None, {"a": 2}])
    offsets, mask = pa.array([0, 1, 2, 3], pa.int32()), pa.array([False, True, False])
    table = pa.table({"c": pa.ListArray.from_arrays(offsets, structs, mask=mask)})
    check(table, written(table, "2.0"))


def test_a_struct_has_one_page(tmp_path: Path) -> None:
    """Of all rows, though its fields have many."""
    table = pa.table({"c": pa.array([[{"a": n, "b": [n]}] for n in range(1000)])})
    lists, structs, numbers, inner, items = check(table, written(table, "2.0", page_size=500))
    assert structs == ["struct"]
    assert len(lists) == len(numbers) == len(inner) == len(items) > 3
    with LanceWriter(tmp_path / "c.lance", table.schema, version="2.0") as writer:
        writer.write(table)
    assert [str(each) for each in writer.plan][-1] == (
        "c.item: rows 0 to 999: array struct, 0 bytes: version 2.0 has nothing smaller for its type"
    )


@pytest.mark.parametrize(("rows", "few"), [(99, 5), (100, 99), (100, 100), (5000, 99)])
def test_text_of_few_values_is_stored_as_their_numbers(rows: int, few: int) -> None:
    """Of 100 rows and more, fewer than 100 values; null is a number of its own."""
    table = pa.table({"c": pa.array([f"text {n % few}" for n in range(rows - 1)] + [None])})
    ((found,),) = check(table, written(table, "2.0"))
    is_coded = rows >= 100 and len(table["c"].unique()) - 1 < 100
    assert found.startswith("dictionary" if is_coded else "binary")


def test_bytes_below_null_text_are_not_stored() -> None:
    """What an array has there is nobody's."""
    hidden = pa.array(["secret"] * 3)
    bitmap = pa.array([True, False, True]).buffers()[1]
    array = pa.Array.from_buffers(pa.string(), 3, [bitmap, *hidden.buffers()[1:]])
    table = pa.table({"c": array})
    data = written(table, "2.0")
    assert data.count(b"secret") == 2
    check(table, data)


@pytest.mark.parametrize("compression", ["fsst", "lz4", "zstd", "none"])
def test_metadata_asks_for_a_compression_of_text(compression: str) -> None:
    """Of its bytes; other types ignore it."""
    metadata = {"lance-encoding:compression": compression}
    texts: Any = [*(f"https://example.org/{n}" for n in range(999)), None]
    arrays = [pa.array(texts, pa.large_string()), pa.array(texts).cast(pa.binary())]
    arrays.append(pa.array(range(1000)))
    fields = [pa.field(str(each.type), each.type, metadata=metadata) for each in arrays]
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    (text,), (raw,), (numbers,) = check(table, written(table, "2.0"))
    assert (compression in text) == (compression in raw) == (compression != "none")
    assert compression not in numbers
    plain = pa.Table.from_arrays(table.columns, table.column_names)
    sizes = [len(written(each, "2.0")) for each in (table, plain)]
    assert (sizes[0] < 0.8 * sizes[1]) == (compression != "none")


def test_a_dictionary_has_room_for_null() -> None:
    """Items that no row has are given up for it; where all are needed, null has no number."""
    items = pa.array([f"item {n}" for n in range(128)])
    indices = pa.array([*range(100, 128), None], pa.int8())
    table = pa.table({"c": pa.DictionaryArray.from_arrays(indices, items)})
    check(table, written(table, "2.0"))
    indices = pa.array([*range(128), None], pa.int8())
    table = pa.table({"c": pa.DictionaryArray.from_arrays(indices, items)})
    with pytest.raises(Unsupported, match=r"rows\.c: found 129 items, wanted at most 128"):
        written(table, "2.0")
    full = pa.table({"c": pa.DictionaryArray.from_arrays(indices[:128], items)})
    check(full, written(full, "2.0"))


@pytest.mark.parametrize("items", [pa.array([1.5, 2.5, None]), pa.array([b"", None, b"x"])])
def test_a_dictionary_has_any_items(items: pa.Array) -> None:
    """Numbers and bytes, also null."""
    array = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 1, 0], pa.uint8()), items)
    table = pa.table({"c": array})
    check(table, written(table, "2.0"))


def test_maps_are_refused() -> None:
    """As by all versions before 2.2."""
    with pytest.raises(Unsupported, match=r"schema\.c: found map<"):
        written(pa.table({"c": pa.array([], pa.map_(pa.string(), pa.int8()))}), "2.0")


def test_metadata_that_means_nothing_is_refused() -> None:
    """Of a field inside of others too."""
    field = pa.field("x", pa.string(), metadata={"lance-encoding:compression": "rar"})
    schema = pa.schema([("c", pa.list_(pa.struct([field])))])
    with pytest.raises(FormatError, match=r"schema\.c\.item\.x\.metadata.*found 'rar'"):
        written(schema.empty_table(), "2.0")
