"""A few columns of files of many are read right, without parsing all the others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.data_files import opened_file
from tests.support.iceberg_rows import TableMaker, arrow, parquet
from tests.support.iceberg_schemas import a_field, a_struct

from byteloom.datafiles.parquet_file import ParquetData
from byteloom.datafiles.parquet_view import IndexedFile
from byteloom.datafiles.wanted import Wanted
from byteloom.errors import FormatError
from byteloom.iceberg import LongType, MappedField, NameMapping, NestedField, StringType, StructType
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.parquet.footer import footer_bytes
from byteloom.parquet.forms import Forms
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table
    from byteloom.iceberg.reading.table_files import TableFile

ROWS, COLUMNS = 40, 400
STRUCT = a_struct(a_field(1001, "a", "long"), a_field(1002, "b", "string"))  # fmt: skip
KINDS: list[tuple[int, str, Any]] = [
    *((each + 1, f"c{each}", ("long", "string")[each % 2]) for each in range(COLUMNS)),
    (1000, "s", STRUCT),
]


def rows(number: int) -> pa.Table:
    """Return the rows of a file, in row groups of which each has other values."""
    held = {
        (each + 1, f"c{each}"): pa.array(
            [each + number * ROWS + row for row in range(ROWS)]
            if each % 2 == 0
            else [None if row % 7 == 0 else f"text {each} {row % 5}" for row in range(ROWS)]
        )
        for each in range(COLUMNS)
    }
    inner = [
        pa.field(name, of, metadata={"PARQUET:field_id": str(at)})
        for at, name, of in ((1001, "a", pa.int64()), (1002, "b", pa.string()))
    ]
    structs = [None if row % 9 == 0 else {"a": row, "b": str(row)} for row in range(ROWS)]
    return arrow(held | {(1000, "s"): pa.array(structs, pa.struct(inner))})


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table of three files of four row groups."""
    root = tmp_path_factory.mktemp("wide")
    files = [
        parquet(root / f"{each}.parquet", rows(each), row_group_size=10, compression="none")
        for each in range(3)
    ]
    return TableMaker(root, KINDS).commit(*files).open()


def opened(path: Path, mapping: NameMapping | None = None) -> TableFile:
    """Open a file by itself."""
    return opened_file(LocalSource(str(path)), mapping=mapping)


def paths(table: Table) -> list[Path]:
    """Return the paths of the files."""
    from pathlib import Path as Local

    return [Local(each.file_path) for each in table.scan().plan().tasks()]


@pytest.mark.parametrize("names", [["c1"], ["c399", "c0"], ["s.b", "c7"], ["s", "c2"]])
def test_some_columns(table: Table, names: list[str]) -> None:
    """Some columns have the rows of a scan of all columns."""
    whole = pa.Table.from_batches(table.scan().to_batches()).combine_chunks()
    found = table.scan().select(*names).to_table()
    assert found.num_rows == 3 * ROWS
    for name in names:
        root, _, inner = name.partition(".")
        column = whole[root].combine_chunks()
        if inner:
            held = [None if each is None else {inner: each[inner]} for each in column.to_pylist()]
            assert found[root].to_pylist() == held
        else:
            assert found[root].to_pylist() == column.to_pylist()


def test_row_groups_without_a_match_are_not_read(table: Table) -> None:
    """Row groups are skipped by their bounds, and positions count on."""
    scan = table.scan("c4 >= 70 and c4 < 76").select("_pos", "c1")
    (path, *_) = paths(table)
    fields = [NestedField(5, "c4", LongType()), NestedField(2, "c1", StringType())]
    with closing(opened(path)) as data:
        task = next(iter(table.scan("c4 >= 20 and c4 < 26").plan().tasks()))
        held = list(data.pieces(fields, task.residual))
    assert [(each.start, each.rows) for each in held] == [(10, 20)]
    assert scan.to_table()["_pos"].to_pylist() == [26, 27, 28, 29, 30, 31]


def test_a_part_of_a_file_has_the_row_groups_that_begin_in_it(table: Table) -> None:
    """A row group belongs to the split in which the first page of all its columns is."""
    path = paths(table)[0]
    metadata = pa.parquet.read_metadata(path)
    places = [metadata.row_group(each).column(0).dictionary_page_offset for each in range(4)]
    field = [NestedField(400, "c399", StringType())]
    for span, starts in [
        ((places[1], places[3]), [10]),
        ((places[1] + 1, places[3] + 1), [20]),
        ((0, places[1]), [0]),
    ]:
        with closing(opened(path)) as data:
            assert [each.start for each in data.pieces(field, span=span)] == starts


def test_pyarrow_parses_the_wanted_columns_alone(table: Table) -> None:
    """The metadata that pyarrow parses has only the wanted columns, and whole structs."""
    path = paths(table)[0]
    struct = StructType((NestedField(1002, "b", StringType()),))
    fields = [NestedField(3, "c2", LongType()), NestedField(1000, "s", struct)]
    with closing(opened(path)) as data:
        assert isinstance(data.file, ParquetData)
        file = data.file._file
        assert isinstance(file, IndexedFile)
        view = file.view(data.files.wanted(fields))
        assert view.file.metadata.num_columns == 3
        assert view.leaves == [0, 2]
        assert data.rows == ROWS
        most = [NestedField(each + 1, f"c{each}", LongType()) for each in range(0, COLUMNS, 2)]
        assert file.view(data.files.wanted(most)).file.metadata.num_columns == 200
        most.append(NestedField(2, "c1", StringType()))
        assert file.view(data.files.wanted(most)).file.metadata.num_columns == COLUMNS + 2


def test_columns_are_determined_once_for_all_threads(table: Table) -> None:
    """Threads that read files of one form at the same time get the same columns, made once."""
    forms, fields = Forms(), [arrow_field(each) for each in table.schema.fields]
    whole, part = Wanted(fields), Wanted(fields[:3])
    with closing(LocalSource(str(paths(table)[0]))) as source:
        footer = np.frombuffer(footer_bytes(source) or b"", np.uint8)
    start = Barrier(8)

    def found(_: int) -> tuple[object, ...]:
        start.wait()
        form = forms.of(footer)
        assert form is not None
        return form, whole.of(form), part.narrowed(form)

    with ThreadPoolExecutor(8) as threads:
        first, *others = threads.map(found, range(8))
    assert None not in first
    assert all(a is b for other in others for a, b in zip(first, other, strict=True))


def test_names_stand_for_ids_in_a_file_without_any(tmp_path: Path) -> None:
    """Names are mapped to ids only in a file without any; else a column without id is missing."""
    plain = rows(0).select([f"c{each}" for each in range(COLUMNS)])
    bare = pa.Table.from_arrays(plain.columns, plain.schema.names)
    mapping = NameMapping((MappedField(("c6",), 1), MappedField(("c1",), 2)))
    path = parquet(tmp_path / "x.parquet", bare).path
    fields = [NestedField(1, "x", LongType()), NestedField(2, "y", StringType())]
    with closing(opened(path, mapping)) as data:
        (piece,) = data.pieces(fields)
    assert [each.name for each in piece.fields] == ["c1", "c6"]
    with closing(opened(path)) as data, pytest.raises(FormatError, match="without field ids"):
        list(data.pieces(fields))
    numbered = bare.schema.set(0, plain.schema.field(0))
    path = parquet(tmp_path / "y.parquet", bare.cast(numbered)).path
    with closing(opened(path, mapping)) as data:
        (piece,) = data.pieces(fields)
    assert [each.name for each in piece.fields] == ["c0"]


def test_damage_of_a_column_that_is_not_read_is_an_error(table: Table, tmp_path: Path) -> None:
    """Damage in the footer is the same error whether or not its column is read."""
    held = bytearray(paths(table)[0].read_bytes())
    footer = len(held) - 8 - int.from_bytes(held[-8:-4], "little")
    at = held.index(b"\x15\x04\x19", footer + 4)  # the footer too begins so
    held[at + 1] = 2  # the type of a column chunk, as zigzag: INT32 in place of INT64
    path = tmp_path / "x.parquet"
    path.write_bytes(held)
    said = []
    for fields in (
        [NestedField(2, "c1", StringType())],
        [NestedField(each + 1, "x", (LongType, StringType)[each % 2]()) for each in range(COLUMNS)],
    ):
        with (
            pytest.raises(FormatError, match="another type, wanted that of INT64 c") as error,
            closing(opened(path)) as data,
        ):
            list(data.pieces(fields))
        said.append(str(error.value))
    assert said[0] == said[1]
