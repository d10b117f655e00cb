"""Pylance reads our files: every type, nulls at every level, many sizes, whole and by numbers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.lance_columns import TYPES, cases, tables
from tests.support.lance_tables import difference
from tests.support.outside_pages import PACKED, own_way
from tests.support.pylance_files import COLUMNS, column, drawn
from tests.support.struct_lists import STRUCT_LISTS
from tests.support.written_lance import VERSIONS, rows_of, written

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

NAMES = list(COLUMNS)


def check(table: pa.Table, data: bytes, place: Path) -> None:
    """Let pylance read *data*, which must be *table*: whole, rows by their numbers, and a range."""
    from lance.file import LanceFileReader

    place.write_bytes(data)
    assert difference(LanceFileReader(str(place)).read_all().to_table(), table) is None
    if rows := table.num_rows:
        numbers = sorted({0, rows // 3, rows // 2, rows - 1})
        found = LanceFileReader(str(place)).take_rows(numbers).to_table()
        assert difference(found, rows_of(table, numbers)) is None
        found = LanceFileReader(str(place)).read_range(rows // 3, rows // 2).to_table()
        assert difference(found, table.slice(rows // 3, rows // 2)) is None


@cases()
def test_columns_are_read_as_they_were_given(
    kind: str, name: str, version: str, tmp_path: Path
) -> None:
    """Pylance reads columns of every kind and encoding, with nulls and without."""
    for table in tables(kind, name):
        check(table, written(table, version), tmp_path / "c.lance")


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_blobs_of_datasets_are_read(version: str, tmp_path: Path) -> None:
    """Pylance reads blobs of our datasets one by one."""
    table = own_way("blobs")
    lance.write_dataset(tmp_path / "d", table, version=version, max_rows_per_file=250)
    peer: Any = import_module("lance")
    rows = [0, 2, 301, 599]
    found = peer.dataset(str(tmp_path / "d")).take_blobs("c", indices=rows)
    assert [each.read() for each in found] == table["c"].take(rows).to_pylist()


@pytest.mark.parametrize("name", STRUCT_LISTS)
def test_fixed_size_lists_of_structs_of_datasets_are_read(name: str, tmp_path: Path) -> None:
    """Pylance reads them a column at a time."""
    *_, table = tables("struct list", name)
    beside = table.append_column("id", [range(len(table))])
    lance.write_dataset(tmp_path / "d", beside, version="2.2")
    peer: Any = import_module("lance")
    found = peer.dataset(str(tmp_path / "d")).to_table(columns=["c"])
    assert difference(found, table) is None


@pytest.mark.parametrize("codec", ["none", "fsst", "lz4", "zstd"])
def test_text_of_packed_structs_is_read_as_metadata_asks(codec: str, tmp_path: Path) -> None:
    """Pylance reads text of packed structs: coded, compressed value by value, or as it is."""
    field = pa.field("b", pa.string(), metadata={"lance-encoding:compression": codec})
    rows = [{"a": n, "b": f"https://example.org/pages/{n % 97}" * (n % 5)} for n in range(3000)]
    array = pa.array(rows, pa.struct([("a", pa.int32()), field]))
    schema = pa.schema([pa.field("c", array.type, metadata=PACKED)])
    table = pa.Table.from_arrays([array], schema=schema)
    check(table, written(table, "2.2"), tmp_path / "c.lance")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("codec", ["none", "fsst", "lz4", "zstd"])
def test_large_text_with_nulls_is_read_as_metadata_asks(
    codec: str, version: str, tmp_path: Path, *, nested: bool
) -> None:
    """Pylance reads large values, null ones and empty ones among them, with every codec."""
    texts = [None if n % 3 == 0 else f"{n} is a number. " * (n % 5 * 200) for n in range(300)]
    rows: list[Any] = [texts[n : n + n % 4] if n % 7 else None for n in range(300)]
    field = pa.field("c", pa.string(), metadata={"lance-encoding:compression": codec})
    if nested:
        field = pa.field("c", pa.list_(field.with_name("item")))
    table = pa.table([pa.array(rows if nested else texts, field.type)], schema=pa.schema([field]))
    check(table, written(table, version), tmp_path / "c.lance")


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_many_pages_are_read(version: str, tmp_path: Path) -> None:
    """Pylance reads columns whose pages begin at different rows."""
    table = pa.table({name: column(name, 20_000, 0.1) for name in NAMES})
    check(table, written(table, version, page_size=50_000), tmp_path / "c.lance")


@pytest.mark.parametrize("version", VERSIONS)
@examples(1)
@given(type_=TYPES, rows=st.integers(0, 300), nulls=st.sampled_from([0, 0.2, 0.9]))
def test_drawn_types_are_read_as_they_were_given(
    version: str,
    type_: pa.DataType,
    rows: int,
    nulls: float,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Pylance reads drawn structs and lists inside each other, with nulls."""
    table = pa.table({"c": drawn(type_, rows, nulls)})
    check(table, written(table, version), tmp_path_factory.getbasetemp() / "drawn.lance")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "rows",
    [
        [{"l": [{"x": None}]}, None],
        [{"l": []}, {"l": [{"x": None}]}, None],
        [{"l": [{"x": None}, None]}, {"l": None}, None],
        [{"l": [{"x": 1}]}, None, {"l": [{"x": 2}, {"x": None}]}],
    ],
)
def test_lists_in_null_structs_are_read_where_no_item_has_a_value(
    rows: list[Any], version: str, tmp_path: Path
) -> None:
    """A list in a struct that may be null is one that may be null, even if none of its own is."""
    inner = pa.struct([("l", pa.list_(pa.struct([("x", pa.int32())])))])
    table = pa.table({"c": pa.array(rows, inner)})
    check(table, written(table, version), tmp_path / "c.lance")
