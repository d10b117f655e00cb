"""Files of pylance are read: every type, nulls at every level, many sizes, whole and in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.lance_tables import difference
from tests.support.pylance_files import COLUMNS, column, drawn, written
from tests.support.struct_lists import BARE, BLOB_LISTS, STRUCT_LISTS, blob_lists, with_nulls
from tests.support.written_lance import rows_of
from tests.support.zipped_structs import SIZES as ROWS
from tests.support.zipped_structs import ZIPPED, zipped

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

VERSIONS = ["2.0", "2.1", "2.2"]
SIZES = [0, 1, 7, 1023, 1024, 1025, 4096]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_read_as_it_was_written(name: str, version: str, tmp_path: Path) -> None:
    """A column that pylance wrote is read as it was given, with any share of nulls."""
    for rows in SIZES:
        for nulls in (0, 0.3, 1):
            table = pa.table({"c": column(name, rows, nulls)})
            with lance.open(written(tmp_path / "c.lance", table, version)) as file:
                assert difference(file.to_table(), table) is None
                if rows:
                    numbers = np.random.default_rng(rows).integers(0, rows, 20)
                    assert difference(file.take(numbers), table.take(numbers)) is None


@pytest.mark.parametrize(
    ("name", "version"),
    [
        *((name, "2.2") for name in STRUCT_LISTS),
        *((name, version) for name in BARE for version in VERSIONS),
        *((name, "2.0") for name in BLOB_LISTS),
    ],
)
def test_lists_of_structs_bare_structs_and_lists_of_blobs_are_read(
    name: str, version: str, tmp_path: Path
) -> None:
    """Whole, in ranges and by numbers; null at every level where pylance writes it."""
    for rows in ROWS:
        for nulls in (0,) if name in BARE or name.startswith("packed") else (0, 0.3):
            table = (
                blob_lists(name, rows, nulls)
                if name in BLOB_LISTS
                else pa.table({"c": with_nulls({**BARE, **STRUCT_LISTS}[name], rows, nulls)})
            )
            with lance.open(written(tmp_path / "c.lance", table, version)) as file:
                assert difference(file.to_table(), table) is None
                part = file.scan(rows=range(rows // 3, rows // 2)).to_table()
                assert difference(part, table[rows // 3 : rows // 2]) is None
                some = sorted({0, rows // 2, rows - 1}) if rows else []
                assert difference(file.take(some), rows_of(table, some)) is None


@pytest.mark.parametrize("name", ZIPPED)
def test_packed_structs_of_any_length_are_read(name: str, tmp_path: Path) -> None:
    """Packed structs of any length that pylance wrote are read whole, in ranges and by numbers."""
    for rows in ROWS:
        for nulls in (0, 0.3):
            table = zipped(name, rows, nulls)
            with lance.open(written(tmp_path / "c.lance", table, "2.2")) as file:
                assert difference(file.to_table(), table) is None
                part = file.scan(rows=range(rows // 3, rows // 2)).to_table()
                assert difference(part, table[rows // 3 : rows // 2]) is None
                some = sorted({0, rows // 2, rows - 1}) if rows else []
                assert difference(file.take(some), rows_of(table, some)) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_many_pages_are_read_in_batches_ranges_and_by_numbers(version: str, tmp_path: Path) -> None:
    """Columns whose pages begin at different rows are read in batches, ranges and by numbers."""
    table = pa.table({name: column(name, 20_000, 0.1) for name in COLUMNS})
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=1_000))
    place = written(tmp_path / "all.lance", batches, version, data_cache_bytes=200_000)
    with lance.open(place) as file:
        assert max(len(each.pages) for each in file.columns()) > 3
        assert difference(file.to_table(), table) is None
        found = pa.Table.from_batches(file.scan(batch_size=777).batches())
        assert difference(found, table) is None
        assert (
            difference(file.scan(rows=range(3_000, 9_999)).to_table(), table[3_000:9_999]) is None
        )
        numbers = np.random.default_rng(0).integers(0, 20_000, 500)
        assert difference(file.take(numbers), table.take(numbers)) is None
        nested = file.to_table(["structs.b", "struct.a"])
        assert difference(nested.select(["struct"]), only(table, "struct", "a")) is None
        assert nested.schema.field("structs").type.value_type.names == ["b"]


def test_a_hundred_thousand_rows_are_read(tmp_path: Path) -> None:
    """Columns of every type with pages of the usual size are read, as pylance reads ours."""
    from lance.file import LanceFileReader

    table = pa.table({name: column(name, 100_000, 0.1) for name in COLUMNS})
    numbers = np.random.default_rng(0).integers(0, 100_000, 500)
    for version in VERSIONS:
        with lance.open(written(tmp_path / "all.lance", table, version)) as file:
            assert difference(file.to_table(), table) is None
            part = file.scan(rows=range(30_000, 99_999)).to_table()
            assert difference(part, table[30_000:99_999]) is None
            assert difference(file.take(numbers), table.take(numbers)) is None
        with lance.LanceWriter(tmp_path / "ours.lance", table.schema, version=version) as writer:
            writer.write(table)
        found = LanceFileReader(str(tmp_path / "ours.lance")).read_all().to_table()
        assert difference(found, table) is None


def only(table: pa.Table, name: str, field: str) -> pa.Table:
    """The table of a struct with one of its fields."""
    structs = table[name].combine_chunks()
    return pa.table({name: pa.StructArray.from_arrays([structs.field(field)], [field])})


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
def test_drawn_types_are_read_as_they_were_written(
    version: str,
    type_: pa.DataType,
    rows: int,
    nulls: float,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Nested structs and lists that pylance wrote are read as they were given."""
    table = pa.table({"c": drawn(type_, rows, nulls)})
    place = written(tmp_path_factory.getbasetemp() / "drawn.lance", table, version)
    with lance.open(place) as file:
        assert difference(file.to_table(), table) is None
        if rows:
            assert difference(file.take([rows - 1, 0]), table.take([rows - 1, 0])) is None
