"""Files of pylance are read: every type, nulls at every level, many sizes, whole and in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.lance_columns import TYPES, cases, tables
from tests.support.lance_tables import compact, difference
from tests.support.pylance_files import COLUMNS, column, drawn, written
from tests.support.written_lance import rows_of

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

VERSIONS = ["2.0", "2.1", "2.2"]


def check(file: lance.LanceFile, table: pa.Table) -> None:
    """Read a file whole, in a range, and by the numbers of rows."""
    assert difference(file.to_table(), table) is None
    if rows := table.num_rows:
        part = file.scan(rows=range(rows // 3, rows // 2)).to_table()
        assert difference(part, table[rows // 3 : rows // 2]) is None
        numbers = [0, rows - 1, *np.random.default_rng(rows).integers(0, rows, 20).tolist()]
        assert difference(file.take(numbers), rows_of(table, numbers)) is None


@cases("type", "struct list", "bare", "blob list", "packed rows")
def test_columns_are_read_as_they_were_written(
    kind: str, name: str, version: str, tmp_path: Path
) -> None:
    """Columns that pylance wrote are read as they were given, null where pylance writes that."""
    most = 1 if kind == "type" else 0 if name.startswith("packed") else 0.3
    for table in map(compact, tables(kind, name, most_nulls=most)):
        with lance.open(written(tmp_path / "c.lance", table, version)) as file:
            check(file, table)


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
        check(file, table)
