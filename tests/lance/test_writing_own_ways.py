"""Blobs outside of pages, and structs stored row by row, as metadata of fields requests."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.outside_pages import BLOB, OWN_WAYS, PACKED, own_way
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom.lance.describing import encoding_text
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = ["2.0", "2.1", "2.2"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", OWN_WAYS)
def test_a_column_is_read_as_it_was_given(name: str, version: str, tmp_path: Path) -> None:
    """Blobs and packed structs are read back; version 2.0 refuses null packed structs."""
    table = own_way(name)
    if (name, version) == ("packed", "2.0"):
        with pytest.raises(Unsupported, match=r"rows\.c: found \d+ nulls, wanted structs"):
            written(table, version)
        return
    some = [len(table) - 1, 0, len(table) // 2]
    for size in (8 << 20, 1 + table.nbytes // 7):
        with lance.open(written(table, version, page_size=size)) as file:
            assert difference(file.to_table(), table) is None
            assert difference(file.take(some), table.take(some)) is None
    dataset = lance.write_dataset(tmp_path / "d", table, version=version, max_rows_per_file=250)
    assert difference(dataset.to_table(), table) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_blobs_are_outside_of_pages(version: str) -> None:
    """A page stores 16 bytes for each blob, and keeps null and empty apart."""
    table = own_way("blobs")
    with lance.open(written(table, version)) as file:
        (column,) = file.columns()
        (page,) = column.pages
        assert sum(size for _, size in page.buffers) < 20 * len(table) < table.nbytes
        values = file.to_table()["c"].to_pylist()
        assert (values[0], values[1]) == (b"", None)
        is_blob = column.encoding.data != b"\n\0"
        assert is_blob == (version == "2.0")


@pytest.mark.parametrize("version", VERSIONS)
def test_packed_structs_are_one_column(version: str) -> None:
    """A packed struct is one column, with as many bytes a row as its fields have."""
    table = own_way("packed that are all there")
    with lance.open(written(table, version)) as file:
        (column,) = file.columns()
        (text,) = [encoding_text(each, DEFAULT_LIMITS) for each in column.pages]
        assert "packed_struct" in text
        sizes = [size for each in column.pages for _, size in each.buffers]
        assert max(sizes) // len(table) == 12


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        (pa.struct([("x", pa.bool_())]), r"schema\.c\.x: found bool, wanted numbers"),
        (pa.struct([("x", pa.dictionary(pa.int8(), pa.string()))]), r"schema\.c\.x: found dict"),
        (pa.struct([]), r"schema\.c: found 0 bytes, wanted 1 to 1023"),
        (pa.struct([("x", pa.binary(1024))]), r"schema\.c: found 1024 bytes, wanted 1 to 1023"),
    ],
)
def test_what_cannot_be_packed_is_refused(type_: pa.DataType, message: str) -> None:
    """A struct that cannot be packed is refused before writing; 1,023 bytes can be packed."""
    schema = pa.schema([pa.field("c", type_, metadata=PACKED)])
    with pytest.raises(Unsupported, match=message):
        written(schema.empty_table(), "2.2")
    wide = pa.field("c", pa.struct([("x", pa.binary(1023))]), metadata=PACKED)
    table = pa.Table.from_arrays([pa.array([{"x": b"y" * 1023}] * 20, wide.type)], ["c"])
    table = table.cast(pa.schema([wide]))
    with lance.open(written(table, "2.2")) as file:
        assert difference(file.to_table(), table) is None


def test_fields_of_packed_structs_are_never_null() -> None:
    """A null field of a packed struct is refused, unless the struct itself is null."""
    field = pa.field("c", pa.struct([("x", pa.int8())]), metadata=PACKED)
    schema = pa.schema([field])
    good = pa.Table.from_arrays([pa.array([{"x": 1}, None], field.type)], schema=schema)
    with lance.open(written(good, "2.2")) as file:
        assert difference(file.to_table(), good) is None
    bad = pa.Table.from_arrays([pa.array([{"x": 1}, {"x": None}], field.type)], schema=schema)
    with pytest.raises(FormatError, match=r"rows\.c\.x: found nulls, wanted values"):
        written(bad, "2.2")


def test_metadata_that_says_no_is_no_matter() -> None:
    """A field of it is like any other, even in a list."""
    metadata = {"lance-encoding:blob": "false", "packed": "false"}
    field = pa.field("item", pa.large_binary(), metadata=metadata)
    table = pa.table({"c": pa.array([[b"x"]], pa.list_(field))})
    with lance.open(written(table, "2.2")) as file:
        assert difference(file.to_table(), table) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_blobs_of_short_bytes_are_read_and_not_written(version: str) -> None:
    """Blobs of a type with 32-bit offsets are read, and refused by the writer."""
    field = pa.field("x", pa.binary(), metadata=BLOB)
    with pytest.raises(Unsupported, match=r"schema\.c\.x: found blobs of binary, wanted blobs of"):
        written(pa.schema([("c", pa.struct([field]))]).empty_table(), version)
    large = pa.struct([field.with_type(pa.large_binary())])
    table = pa.table({"c": pa.array([{"x": b"blob"}], large)})
    out = io.BytesIO()
    with lance.LanceWriter(out, table.schema, version=version) as writer:
        writer.write(table)
        writer.fields[1].logical_type = "binary"
    with lance.open(out.getvalue()) as file:
        assert file.to_table().schema.field("c").type == pa.struct([("x", pa.binary())])
        assert file.to_table()["c"].to_pylist() == [{"x": b"blob"}]
