"""Pylance reads our files: every type, nulls at every level, many sizes, whole and by numbers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.encoded_lance import ASKED, ENCODED, asking, encoded
from tests.support.lance_tables import difference
from tests.support.outside_pages import OWN_WAYS, PACKED, own_way
from tests.support.pylance_files import COLUMNS, column, drawn
from tests.support.struct_lists import BARE, BLOB_LISTS, STRUCT_LISTS, blob_lists, with_nulls
from tests.support.written_lance import HARD, VERSIONS, hard, rows_of, written
from tests.support.zipped_structs import SIZES, ZIPPED, zipped

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

NAMES = list(COLUMNS)


def file_reader(place: Path) -> Any:
    """Return pylance's reader of a file."""
    from lance.file import LanceFileReader

    return LanceFileReader(str(place))


def check(table: pa.Table, data: bytes, place: Path) -> None:
    """Let pylance read *data*, which must be *table*."""
    from lance.file import LanceFileReader

    place.write_bytes(data)
    assert difference(LanceFileReader(str(place)).read_all().to_table(), table) is None
    if rows := table.num_rows:
        numbers = sorted({0, rows // 3, rows // 2, rows - 1})
        found = LanceFileReader(str(place)).take_rows(numbers).to_table()
        assert difference(found, table.take(numbers)) is None
        found = LanceFileReader(str(place)).read_range(rows // 3, rows // 2).to_table()
        assert difference(found, table.slice(rows // 3, rows // 2)) is None


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
@pytest.mark.parametrize("name", NAMES)
def test_a_column_is_read_as_it_was_given(name: str, version: str, tmp_path: Path) -> None:
    """Pylance reads a column of each type, without nulls, with some, and with only nulls."""
    for rows in (0, 1, 1023, 1024, 1025, 4096):
        for nulls in (0, 0.3, 1):
            table = pa.table({"c": column(name, rows, nulls)})
            check(table, written(table, version), tmp_path / "c.lance")


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
@pytest.mark.parametrize("name", HARD)
def test_a_hard_column_is_read_as_it_was_given(name: str, version: str, tmp_path: Path) -> None:
    """Pylance reads nested nulls, slices of arrays, sparse lists and large values."""
    table = hard("lists of truth values" if (name, version) == ("null structs", "2.0") else name)
    check(table, written(table, version), tmp_path / "c.lance")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ENCODED)
def test_an_encoded_column_is_read_as_it_was_given(name: str, version: str, tmp_path: Path) -> None:
    """Pylance reads each encoding: bit-packing, runs, dictionaries, one value."""
    table = encoded(name)
    check(table, written(table, version), tmp_path / "c.lance")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("array", "keys"), [each[:2] for each in ASKED])
def test_a_column_whose_metadata_asks_is_read(
    array: pa.Array, keys: dict[str, str], version: str, tmp_path: Path
) -> None:
    """Pylance reads columns in the encodings that metadata of a field chooses."""
    table = asking(array, keys)
    check(table, written(table, version), tmp_path / "c.lance")


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
@pytest.mark.parametrize("name", OWN_WAYS)
def test_blobs_and_packed_structs_are_read(name: str, version: str, tmp_path: Path) -> None:
    """Pylance reads packed structs and blobs of files, and blobs of datasets one by one."""
    table = own_way("packed that are all there" if version == "2.0" and name == "packed" else name)
    check(table, written(table, version), tmp_path / "c.lance")
    if name == "blobs":
        lance.write_dataset(tmp_path / "d", table, version=version, max_rows_per_file=250)
        peer: Any = import_module("lance")
        rows = [0, 2, 301, 599]
        found = peer.dataset(str(tmp_path / "d")).take_blobs("c", indices=rows)
        assert [each.read() for each in found] == table["c"].take(rows).to_pylist()


def check_slices(table: pa.Table, version: str, place: Path) -> None:
    """Let pylance read *table*: whole, rows by their numbers, and a range of them."""
    place.write_bytes(written(table, version))
    assert difference(file_reader(place).read_all().to_table(), table) is None
    if rows := table.num_rows:
        some = sorted({0, rows // 2, rows - 1})
        taken = file_reader(place).take_rows(some).to_table()
        assert difference(taken, rows_of(table, some)) is None
        found = file_reader(place).read_range(rows // 3, rows // 2).to_table()
        assert difference(found, table.slice(rows // 3, rows // 2)) is None


@pytest.mark.parametrize("name", STRUCT_LISTS)
def test_fixed_size_lists_of_structs_are_read(name: str, tmp_path: Path) -> None:
    """Null at every level, or nowhere; a column at a time, as pylance reads them."""
    for rows in SIZES:
        for nulls in (0, 0.3, 1):
            table = pa.table({"c": with_nulls(STRUCT_LISTS[name], rows, nulls)})
            check_slices(table, "2.2", tmp_path / "c.lance")
    lance.write_dataset(tmp_path / "d", table.append_column("id", [range(rows)]), version="2.2")
    peer: Any = import_module("lance")
    found = peer.dataset(str(tmp_path / "d")).to_table(columns=["c"])
    assert difference(found, table) is None


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
@pytest.mark.parametrize("name", BARE)
def test_structs_without_fields_are_read(name: str, version: str, tmp_path: Path) -> None:
    """Pylance reads our structs without fields: alone, in structs, and beside other fields."""
    for rows in SIZES:
        table = pa.table({"c": with_nulls(BARE[name], rows, 0)})
        check_slices(table, version, tmp_path / "c.lance")


@pytest.mark.parametrize("name", BLOB_LISTS)
def test_blobs_in_lists_are_read(name: str, tmp_path: Path) -> None:
    """Pylance reads our blobs in lists, in version 2.0, empty and null ones included."""
    for rows in SIZES:
        for nulls in (0, 0.3, 1):
            check_slices(blob_lists(name, rows, nulls), "2.0", tmp_path / "c.lance")


@pytest.mark.parametrize("name", ZIPPED)
def test_packed_structs_of_any_length_are_read(name: str, tmp_path: Path) -> None:
    """Pylance reads packed structs with text, bytes or fixed-size lists, some of them null."""
    for rows in SIZES:
        for nulls in (0, 0.3, 1):
            check_slices(zipped(name, rows, nulls), "2.2", tmp_path / "c.lance")


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


def test_a_map_is_read_as_it_was_given(tmp_path: Path) -> None:
    """Pylance reads maps, null and empty ones included."""
    type_ = pa.map_(pa.string(), pa.int32())
    rows = [[("a", 1), ("b", None)], None, [], [("c", 2)]] * 300
    table = pa.table({"c": pa.array(rows, type_)})
    check(table, written(table, "2.2"), tmp_path / "c.lance")


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_many_pages_are_read(version: str, tmp_path: Path) -> None:
    """Pylance reads columns whose pages begin at different rows."""
    table = pa.table({name: column(name, 20_000, 0.1) for name in NAMES})
    check(table, written(table, version, page_size=50_000), tmp_path / "c.lance")


LEAVES = st.sampled_from([pa.int32(), pa.string(), pa.bool_(), pa.binary(3), pa.float64()])
TYPES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(pa.list_),
        inner.map(pa.large_list),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda types: pa.struct([(f"f{at}", each) for at, each in enumerate(types)])
        ),
    ),
    max_leaves=5,
)


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
