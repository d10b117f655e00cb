"""Written Lance files hold what was given, and what cannot be written is refused."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.lance_tables import difference
from tests.support.pylance_files import COLUMNS, column, drawn
from tests.support.written_lance import HARD, VERSIONS, hard, written

from byteloom import lance
from byteloom.errors import FormatError, StorageError, Unsupported
from byteloom.lance.encodings import page_layout
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path

NAMES = list(COLUMNS)


def check(table: pa.Table, data: bytes) -> None:
    """Read *data* whole and in parts; it must be *table*."""
    with lance.open(data) as file:
        assert difference(file.to_table(), table) is None
        if rows := table.num_rows:
            numbers = np.random.default_rng(rows).integers(0, rows, 20)
            assert difference(file.take(numbers), table.take(numbers)) is None


def layouts(data: bytes) -> list[str]:
    """The layout of each page of all columns."""
    with lance.open(data) as file:
        found = [page_layout(p, DEFAULT_LIMITS) for each in file.columns() for p in each.pages]
    return [str(each.WhichOneof("layout")) for each in found]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_a_column_is_read_as_it_was_given(name: str, version: str) -> None:
    """A column of each type is read back, without nulls, with some, and with nothing else."""
    for rows in (0, 1, 1025):
        for nulls in (0, 0.3, 1):
            table = pa.table({"c": column(name, rows, nulls)})
            check(table, written(table, version))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", HARD)
def test_a_hard_column_is_read_as_it_was_given(name: str, version: str) -> None:
    """Nested nulls, slices of arrays, sparse lists and large values are read back."""
    table = hard(name)
    check(table, written(table, version))


def test_a_map_is_read_as_it_was_given() -> None:
    """Maps, null and empty ones included, are read back; version 2.1 refuses them."""
    type_ = pa.map_(pa.string(), pa.list_(pa.int32()))
    rows: list[Any] = [[("a", [1]), ("b", None)], None, [], [("c", [])]] * 300
    table = pa.table({"c": pa.array(rows, type_).slice(1, 1100)})
    check(table, written(table, "2.2"))
    with pytest.raises(Unsupported, match=r"schema\.c: found map<.*version 2\.1"):
        written(table, "2.1")


TYPES = st.recursive(
    st.sampled_from([pa.int32(), pa.string(), pa.bool_(), pa.binary(3), pa.list_(pa.int8(), 3)]),
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
    version: str, type_: pa.DataType, rows: int, nulls: float
) -> None:
    """Structs and lists nested in each other, with nulls, are read back."""
    table = pa.table({"c": drawn(type_, rows, nulls)})
    check(table, written(table, version, page_size=1000))


@pytest.mark.parametrize("version", VERSIONS)
def test_columns_have_pages_of_their_own(version: str) -> None:
    """Large columns have more pages than small ones; each page has the number of its first row."""
    table = pa.table({name: column(name, 20_000, 0.1) for name in NAMES})
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=999))
    data = written(batches, version, page_size=50_000)
    check(table, data)
    with lance.open(data) as file:
        pages = {name: file.columns(file.column_map.of(file.fields[at]))[0].pages
                 for at, name in enumerate(NAMES)}  # fmt: skip
    assert len(pages["decimal"]) > len(pages["int32"]) > len(pages["bool"]) == 1
    for each in pages.values():
        assert [page.priority for page in each] == [page.first for page in each]


def test_values_of_256_bytes_are_stored_on_their_own() -> None:
    """Values of 255 bytes are stored in chunks, values of 256 one by one, and nulls not at all."""
    for size, layout in ((255, "mini_block_layout"), (256, "full_zip_layout")):
        for each in (pa.array(["x" * size]), pa.array([[1] * size], pa.list_(pa.int8(), size))):
            assert layouts(written(pa.table({"c": each}), "2.1")) == [layout]
    assert layouts(written(pa.table({"c": pa.nulls(3, pa.int8())}), "2.1")) == ["constant_layout"]


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


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
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
            check(table, written(table, "2.2"))
            continue
        with pytest.raises(Unsupported, match=r"c\.item\.item: found too many null or empty lists"):
            written(table, "2.2")
