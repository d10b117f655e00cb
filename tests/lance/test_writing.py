"""Written Lance files hold what was given, and what cannot be written is refused."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.lance_columns import TYPES, cases, tables
from tests.support.lance_tables import difference
from tests.support.pylance_files import COLUMNS, column, drawn
from tests.support.written_lance import VERSIONS, check_written, planned, written

from byteloom import lance
from byteloom.errors import FormatError, StorageError, Unsupported

if TYPE_CHECKING:
    from pathlib import Path

NAMES = list(COLUMNS)
ALL = ["2.0", *VERSIONS]


@cases("type", "hard", "own way", "bare", "struct list", "packed rows", "blob list", "map")
def test_columns_are_read_as_they_were_given(
    kind: str, name: str, version: str, tmp_path: Path
) -> None:
    """Columns of every kind are read back, from one page and from many, and from a dataset."""
    for table in tables(kind, name, sizes=[0, 1, 1025]):
        for size in (8 << 20, 1 + table.nbytes // 5):
            check_written(table, version, page_size=size)
    table = table.append_column("beside", pa.array(range(table.num_rows)))
    dataset = lance.write_dataset(tmp_path / "d", table, version=version, max_rows_per_file=999)
    assert difference(dataset.to_table(), table) is None


@pytest.mark.parametrize("version", VERSIONS)
@examples(1)
@given(type_=TYPES, rows=st.integers(0, 300), nulls=st.sampled_from([0, 0.2, 0.9]))
def test_drawn_types_are_read_as_they_were_given(
    version: str, type_: pa.DataType, rows: int, nulls: float
) -> None:
    """Structs and lists nested in each other, with nulls, are read back."""
    table = pa.table({"c": drawn(type_, rows, nulls)})
    check_written(table, version, page_size=1000)


@pytest.mark.parametrize("version", VERSIONS)
def test_columns_have_pages_of_their_own(version: str) -> None:
    """Large columns have more pages than small ones; each page has the number of its first row."""
    table = pa.table({name: column(name, 20_000, 0.1) for name in NAMES})
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=999))
    check_written(batches, version, page_size=50_000)
    data = written(batches, version, page_size=50_000)
    with lance.open(data) as file:
        pages = {name: file.columns(file.column_map.of(file.fields[at]))[0].pages
                 for at, name in enumerate(NAMES)}  # fmt: skip
    assert len(pages["decimal"]) > len(pages["int32"]) > len(pages["bool"]) == 1
    for each in pages.values():
        assert [page.priority for page in each] == [page.first for page in each]


def test_values_of_256_bytes_are_stored_on_their_own() -> None:
    """Values of 255 bytes are stored in chunks, values of 256 one by one, and nulls not at all."""
    columns = [(pa.nulls(3, pa.int8()), "null")]
    for size, layout in ((255, "mini-block"), (256, "full-zip")):
        columns.append((pa.array(["x" * size]), layout))
        columns.append((pa.array([[1] * size], pa.list_(pa.int8(), size)), layout))
    for array, layout in columns:
        assert [each.layout for each in planned(pa.table({"c": array}), "2.1")] == [layout]


@pytest.mark.parametrize("version", VERSIONS)
def test_buffers_are_at_multiples_of_64(version: str) -> None:
    """Buffers of pages and the schema begin at multiples of 64, as pylance requires."""
    data = written(pa.table({"a": ["x", "yz"], "b": [1, None]}), version)
    with lance.open(data) as file:
        assert file.version == version
        places = [b[0] for each in file.columns() for p in each.pages for b in p.buffers]
        assert [each % 64 for each in (*places, file.tail.buffers[0].offset)] == [0] * 5


def test_schema_and_metadata_are_kept() -> None:
    """The schema keeps nullability and metadata; views are stored as plain text."""
    fields = [
        pa.field("a", pa.int32(), nullable=False, metadata={"k": "v"}),
        pa.field("b", pa.list_(pa.field("item", pa.struct([pa.field("x", pa.date32())])))),
        pa.field("c", pa.timestamp("us", "+01:30")),
    ]
    schema = pa.schema(fields, metadata={"whole": "schema"})
    with lance.open(written(schema.empty_table(), "2.2")) as file:
        assert file.schema.equals(schema, check_metadata=True)
    views = pa.table({"c": pa.array([["a", None]], pa.list_(pa.string_view()))})
    with lance.open(written(views, "2.2")) as file:
        assert file.to_table().equals(views.cast(pa.schema([("c", pa.list_(pa.string()))])))


class Celsius(pa.ExtensionType):  # type: ignore[misc]
    """An extension type with a parameter and an Arrow type of its own."""

    def __init__(self) -> None:
        """Extend 64-bit numbers."""
        super().__init__(pa.float64(), "test.celsius")

    def __arrow_ext_serialize__(self) -> bytes:
        """Return its parameter."""
        return b"degrees"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> Celsius:
        """Return the type of a file."""
        del storage, serialized
        return cls()


TENSOR = pa.fixed_shape_tensor(pa.float32(), [3, 2], dim_names=["x", "y"])


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize(
    ("type_", "storage", "metadata"),
    [
        (pa.uuid(), [b"0" * 16, None], b""),
        (pa.json_(), ["{}", None], b""),
        (TENSOR, [[0.0] * 6, None], b'{"shape":[3,2],"dim_names":["x","y"]}'),
        (Celsius(), [1.5, None], b"degrees"),
    ],
)
def test_extension_types_are_kept(
    type_: pa.BaseExtensionType, storage: list[Any], metadata: bytes, version: str
) -> None:
    """Extension types, nested ones too, are stored as metadata and restored from it."""
    array = pa.ExtensionArray.from_storage(type_, pa.array(storage, type_.storage_type))
    structs = pa.StructArray.from_arrays([array], ["x"])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), array)
    table = pa.table({"a": array, "s": structs, "l": lists})
    with lance.open(written(table, version)) as file:
        is_known = type_.extension_name.startswith("arrow.")
        for field in (file.fields[0], file.fields[1].children[0]):
            assert field.metadata["ARROW:extension:name"] == type_.extension_name.encode()
            assert field.metadata["ARROW:extension:metadata"] == metadata
        for field in (file.schema.field("a"), file.schema.field("s").type.field(0)):
            assert field.type == (type_ if is_known else type_.storage_type)
        found = file.to_table()
        assert found.equals(table) if is_known else found.to_pylist() == table.to_pylist()


ROWS = 60
MASK = pa.array([row % 7 == 0 for row in range(ROWS)])
ENDS = [0, *(2 * row for row in range(1, ROWS + 1))]
PAIRS = pa.ExtensionArray.from_storage(
    pa.uuid(), pa.array([bytes([row]) * 16 for row in range(2 * ROWS)], pa.binary(16))
)
LISTS = pa.ListArray.from_arrays(pa.array(ENDS, pa.int32()), pa.array(range(2 * ROWS)))
LARGE = pa.LargeListArray.from_arrays(pa.array(ENDS, pa.int64()), pa.array(range(2 * ROWS)))
NULLS = pa.LargeListArray.from_arrays(pa.array(ENDS, pa.int64()), pa.nulls(2 * ROWS))
UUID_LISTS = pa.ListArray.from_arrays(pa.array(ENDS, pa.int32()), PAIRS, mask=MASK)
VECTORS = pa.FixedSizeListArray.from_arrays(PAIRS.storage, 2, mask=MASK)
TEXTS = pa.array([f"text {row}" for row in range(ROWS)], pa.string_view())


def struct(*columns: pa.Array) -> pa.Array:
    """Columns as a struct that is null in some rows."""
    return pa.StructArray.from_arrays(columns, [f"c{at}" for at in range(len(columns))], mask=MASK)


def values(row: object) -> object:
    """A value with the bytes of UUIDs."""
    if isinstance(row, dict):
        return {name: values(each) for name, each in row.items()}
    return [*map(values, row)] if isinstance(row, list) else getattr(row, "bytes", row)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "array",
    [
        struct(NULLS, PAIRS[:ROWS]),
        struct(LARGE, PAIRS[:ROWS]),
        struct(LISTS, TEXTS),
        struct(UUID_LISTS, LISTS),
        struct(VECTORS, LARGE),
        struct(struct(LISTS, PAIRS[:ROWS]), LARGE),
        UUID_LISTS,
        VECTORS,
    ],
    ids=lambda array: str(array.type)[:40],
)
def test_slices_are_stored_as_their_rows(array: pa.Array, version: str) -> None:
    """Slices of extension types and views, and batches of slices, have the rows that they show."""
    table = pa.table({"c": array})
    for first in (0, 5, 59, 60):
        with lance.open(written(table.slice(first, 20), version)) as file:
            found = [values(each) for each in file.to_table()["c"].to_pylist()]
        assert found == [values(each) for each in array.slice(first, 20).to_pylist()]
    batches = pa.concat_tables([table.slice(first, 7) for first in range(0, ROWS, 7)])
    with lance.open(written(batches, version, page_size=300)) as file:
        assert [*map(values, file.to_table()["c"].to_pylist())] == [*map(values, array.to_pylist())]


@pytest.mark.parametrize(
    ("type_", "found"),
    [
        (pa.dictionary(pa.int8(), pa.date32()), r"schema\.c: found dictionary"),
        (pa.list_(pa.dictionary(pa.int8(), pa.bool_())), r"schema\.c\.item: found dictionary"),
        (pa.list_(pa.bool_(), 4097), r"schema\.c: found fixed_size_list"),
        (pa.month_day_nano_interval(), r"schema\.c: found month_day_nano_interval"),
    ],
)
def test_a_type_that_is_not_written_is_refused(
    type_: pa.DataType, found: str, tmp_path: Path
) -> None:
    """A type that cannot be written is refused before a file is created."""
    place = tmp_path / "x.lance"
    with pytest.raises(Unsupported, match=found):
        lance.LanceWriter(place, pa.schema([("c", type_)]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("version", ["0.1", "2.3", "3"])
def test_a_version_that_is_not_written_is_refused(version: str) -> None:
    """A version that cannot be written is refused, even if it can be read."""
    with pytest.raises(Unsupported, match=r"version: found .*, wanted one of 2\.0, 2\.1, 2\.2"):
        lance.LanceWriter(io.BytesIO(), pa.schema([]), version=version)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pa.table({"x": [1]}), "found columns x, wanted a, b"),
        (pa.table({"a": ["text"], "b": [1]}), r"rows\.a: found string, wanted int32"),
        (pa.table({"a": [1], "b": [None]}), r"rows\.b: found 1 nulls, wanted values"),
        (7, "data: found int, wanted Arrow data: a batch"),
    ],
)
def test_rows_of_another_schema_are_refused(data: Any, message: str, tmp_path: Path) -> None:
    """Rows of another schema are refused; the writer is closed, and an older file is kept."""
    place = tmp_path / "x.lance"
    place.write_bytes(b"before")
    schema = pa.schema([("a", pa.int32()), pa.field("b", pa.int64(), nullable=False)])
    with pytest.raises(FormatError, match=message), lance.LanceWriter(place, schema) as writer:
        writer.write(data)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"before"]
    with pytest.raises(StorageError, match="the writer is closed"):
        writer.write(pa.table({"a": [1], "b": [1]}))


def _write_and_fail(writer: lance.LanceWriter, table: pa.Table) -> None:
    writer.write(table)
    raise FormatError("rows", None, "an end", "more")


def test_a_file_appears_when_it_is_finished(tmp_path: Path) -> None:
    """A file appears when its writer ends, and does not appear after an exception."""
    place, table = tmp_path / "x.lance", pa.table({"a": [1]})
    with pytest.raises(FormatError), lance.LanceWriter(place, table.schema) as writer:
        _write_and_fail(writer, table)
    assert not list(tmp_path.iterdir())
    with lance.LanceWriter(place, table.schema) as writer:
        writer.write(table.to_batches()[0])
        writer.write(table.to_reader())
        assert not place.exists()
        assert writer.num_rows == 2
    with lance.open(place) as file:
        assert file.num_rows == 2


def test_a_row_that_no_layout_holds_is_refused() -> None:
    """A row that needs more than 65,535 levels in a chunk is refused."""
    type_ = pa.list_(pa.list_(pa.bool_()))
    for empty, is_sound in ((65_527, True), (65_528, False)):
        values = pa.array([[[True], *([[]] * empty), [True] * 8]], type_)
        table = pa.table({"c": values})
        if is_sound:
            check_written(table, "2.2")
            continue
        with pytest.raises(Unsupported, match=r"c\.item\.item: found too many null or empty lists"):
            written(table, "2.2")
