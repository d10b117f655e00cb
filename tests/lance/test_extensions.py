"""Columns of Arrow's extension types: schemas, batches, filters and appended rows agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pytest
from tests.support.lance_files import lance_field, lance_file
from tests.support.lance_pages import flat, no_nulls, page
from tests.support.lance_tables import difference

from byteloom import lance
from byteloom.errors import FormatError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS = 4
IDS = [UUID(int=number) for number in range(ROWS)]
NAME, PARAMETERS = "ARROW:extension:name", "ARROW:extension:metadata"


def uuids(numbers: range) -> pa.Array:
    """UUIDs of these numbers."""
    storage = pa.array([UUID(int=number).bytes for number in numbers], pa.binary(16))
    return pa.ExtensionArray.from_storage(pa.uuid(), storage)


def bools(values: list[int | None]) -> pa.Array:
    """Truth values of eight bits."""
    return pa.ExtensionArray.from_storage(pa.bool8(), pa.array(values, pa.int8()))


def columns(first: int = 0) -> dict[str, pa.Array]:
    """Four rows of extension types at several depths."""
    one = uuids(range(first, first + ROWS))
    ends = pa.array([0, 1, 1, 3, 4], pa.int32())
    structs = pa.StructArray.from_arrays([one, bools([0, 1, None, 1])], ["id", "yes"])
    tensor = pa.fixed_shape_tensor(pa.int8(), [2, 2])
    squares = pa.array([[first] * 4] * ROWS, tensor.storage_type)
    return {
        "plain": pa.array(range(first, first + ROWS)),
        "uuid": one,
        "tensor": pa.ExtensionArray.from_storage(tensor, squares),
        "struct": structs,
        "list": pa.ListArray.from_arrays(ends, one),
        "map": pa.MapArray.from_arrays(ends, pa.array(range(ROWS)), one),
        "deep": pa.LargeListArray.from_arrays(ends.cast(pa.int64()), structs),
    }


TABLE = pa.table(columns())
DEEP = pa.concat_tables([TABLE, pa.table(columns(ROWS))])


def ways(of: Any) -> Iterator[tuple[pa.Schema, list[pa.Array]]]:
    """Schema and columns of all that returns the rows of a file or a dataset."""
    scan, filtered = of.scan(), of.scan(filter="plain >= 0")
    for found in (of.to_table(), of.take(range(of.num_rows)), filtered.to_table()):
        yield found.schema, found.columns
    for each in (scan, filtered):
        for batch in each.batches():
            yield batch.schema, batch.columns
        pa.Table.from_batches(each.batches(), each.schema)
        yield each.to_reader().schema, each.to_reader().read_all().columns
        yield each.schema, each.to_table().columns


def check_types(of: Any, table: pa.Table) -> None:
    """All ways to read *table* have its types, in their schema and in their arrays."""
    assert of.schema == table.schema
    for schema, found in ways(of):
        assert schema == table.schema
        assert [each.type for each in found] == table.schema.types


@pytest.mark.parametrize("most", [ROWS * 2, ROWS, 1])
def test_a_dataset_has_extension_types_everywhere(most: int, tmp_path: Path) -> None:
    """Schemas and arrays of a dataset, its scans, batches and tables have extension types."""
    dataset = lance.write_dataset(tmp_path / "a", DEEP, max_rows_per_file=most)
    check_types(dataset, DEEP)
    assert difference(dataset.to_table(), DEEP) is None
    assert difference(dataset.take([7, 0, 3]), DEEP.take([7, 0, 3])) is None
    nothing = dataset.scan(filter="plain > 99").to_table()
    assert nothing.schema == DEEP.schema
    assert not nothing.num_rows


def test_a_file_has_extension_types_everywhere(tmp_path: Path) -> None:
    """Schemas and arrays of a file, its scans, batches and tables have extension types."""
    with lance.LanceWriter(tmp_path / "a.lance", TABLE.schema) as writer:
        writer.write(TABLE)
    with lance.open(tmp_path / "a.lance") as file:
        check_types(file, TABLE)
        assert difference(file.to_table(), TABLE) is None
        assert file.scan(["struct.id"]).schema.field(0).type == pa.struct([("id", pa.uuid())])


def test_rows_and_columns_are_added_to_extension_types(tmp_path: Path) -> None:
    """Appended rows, added columns and the rows left by a deletion keep extension types."""
    lance.write_dataset(tmp_path / "a", TABLE)
    dataset = lance.write_dataset(tmp_path / "a", pa.table(columns(ROWS)), mode="append")
    assert difference(dataset.to_table(), DEEP) is None
    more = dataset.add_columns(pa.table({"more": uuids(range(2 * ROWS))}))
    assert more.schema.field("more").type == pa.uuid()
    left = more.delete(filter=f"uuid = '{IDS[2]}'")
    assert left.to_table()["more"].to_pylist() == [UUID(int=at) for at in (0, 1, 3, 4, 5, 6, 7)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (f"uuid = '{IDS[2]}'", [2]),
        (f"uuid = X'{IDS[2].hex}'", [2]),
        (f"uuid > '{IDS[1]}'", [2, 3]),
        (f"uuid in ('{IDS[0]}', '{IDS[3]}')", [0, 3]),
        (f"struct.id != '{IDS[0]}'", [1, 2, 3]),
        ("struct.yes = 1", [1, 3]),
        ("struct.yes is null", [2]),
        ("tensor is not null", [0, 1, 2, 3]),
    ],
)
def test_filters_compare_extension_types(text: str, numbers: list[int], tmp_path: Path) -> None:
    """A UUID is compared with its text or bytes, other extension types as what they store."""
    dataset = lance.write_dataset(tmp_path / "a", TABLE, max_rows_per_file=3)
    assert dataset.to_table(["plain"], filter=text)["plain"].to_pylist() == numbers
    assert dataset.count(text) == len(numbers)


@pytest.mark.parametrize(
    ("logical_type", "width", "metadata"),
    [
        ("fixed_size_binary:15", 15, {NAME: b"arrow.uuid"}),
        ("int16", 2, {NAME: b"arrow.bool8"}),
        ("int32", 4, {NAME: b"arrow.opaque", PARAMETERS: b"{"}),
        ("int64", 8, {NAME: b"a.stranger"}),
    ],
)
def test_an_extension_type_that_pyarrow_refuses_is_its_storage_type(
    logical_type: str, width: int, metadata: dict[str, bytes]
) -> None:
    """Where pyarrow does not know or accept an extension type, columns have what is stored."""
    fields = [lance_field("a", logical_type, metadata=metadata)]
    stored = page(2, no_nulls(flat(8 * width)), bytes(2 * width))
    with lance.open(lance_file(fields, [[stored]], rows=2)) as file:
        type_ = file.schema.field("a").type
        assert not isinstance(type_, pa.BaseExtensionType)
        assert file.schema.field("a").metadata[NAME.encode()] == metadata[NAME]
        assert file.to_table().schema == file.schema
        assert file.to_table()["a"].type == type_


def test_uuids_are_appended_as_text(tmp_path: Path) -> None:
    """Rows to append may have UUIDs as text, at any depth, with nulls; other text is refused."""
    lance.write_dataset(tmp_path / "a", TABLE.select(["uuid", "list"]))
    texts: list[Any] = [str(UUID(int=9)), None, str(UUID(int=1 << 127)).upper()]
    rows = pa.table({"uuid": texts, "list": [[], None, texts]})
    found = lance.write_dataset(tmp_path / "a", rows, mode="append").to_table()[ROWS:]
    want = [UUID(int=9), None, UUID(int=1 << 127)]
    assert found["uuid"].to_pylist() == want
    assert found["list"].to_pylist() == [[], None, want]
    for text in (texts[0][1:], texts[0].replace("9", "g"), texts[0].replace("-", "0"), "\xe4" * 18):
        wrong = pa.table({"uuid": [text], "list": [[]]})
        with pytest.raises(
            FormatError, match=r"rows\.uuid: found string, wanted fixed_size_binary"
        ):
            lance.write_dataset(tmp_path / "a", wrong, mode="append")


ITEM = pa.field("item", pa.binary(2), metadata={NAME: "lance.bfloat16"})
FLOATS = pa.array([b"\x80\x3f", b"\x00\x40", b"\x40\x40", b"\x80\x40"], pa.binary(2))
VECTORS = pa.FixedSizeListArray.from_arrays(FLOATS, type=pa.list_(ITEM, 2))


def floats(array: pa.Array) -> list[bytes]:
    """The bytes of each float, whether pyarrow knows their extension type or not."""
    while pa.types.is_fixed_size_list(array.type):
        array = array.flatten()
    stored = array.storage if isinstance(array.type, pa.BaseExtensionType) else array
    return list(stored.to_pylist())


@pytest.mark.parametrize(
    ("array", "logical_type"),
    [
        (VECTORS, "fixed_size_list:lance.bfloat16:2"),
        (
            pa.FixedSizeListArray.from_arrays(VECTORS, 1),
            "fixed_size_list:fixed_size_list:lance.bfloat16:2:1",
        ),
    ],
)
def test_vectors_of_16_bit_floats_have_their_logical_type(
    array: pa.Array, logical_type: str, tmp_path: Path
) -> None:
    """The items of a fixed-size list keep the name of one extension type, lance.bfloat16."""
    table = pa.table({"v": array})
    dataset = lance.write_dataset(tmp_path / "a", table)
    assert dataset.fields[0].type == logical_type
    more = lance.write_dataset(tmp_path / "a", table, mode="append")
    assert floats(more.to_table()["v"].combine_chunks()) == FLOATS.to_pylist() * 2


def test_vectors_of_other_extension_types_are_refused(tmp_path: Path) -> None:
    """A fixed-size list of an extension type is refused if its name would be lost."""
    array = pa.FixedSizeListArray.from_arrays(uuids(range(4)), 2)
    with pytest.raises(Unsupported, match=r"schema\.v\.item: found items of type arrow\.uuid"):
        lance.write_dataset(tmp_path / "a", pa.table({"v": array}))
    assert not list(tmp_path.iterdir())
