"""Columns that Lance stores in ways of their own, and what is refused of them.

Blobs are outside of pages; packed structs are stored row by row; fixed-size lists of structs count
their items as rows; structs without fields have no levels.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.outside_pages import BLOB, PACKED, own_way
from tests.support.struct_lists import (
    BARE,
    BLOB_LISTS,
    PAIR,
    STRUCT_LISTS,
    blob_lists,
    with_nulls,
)
from tests.support.written_lance import check_written, encodings, written
from tests.support.zipped_structs import ZIPPED, zipped

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError, Unsupported

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = ["2.0", "2.1", "2.2"]
NONE = pa.struct([])
MIXED = pa.struct([("a", pa.int8()), ("b", pa.list_(PAIR, 3))])
NUMBER_AND_TEXT = ZIPPED["number and text"]


def packed(rows: list[Any], type_: pa.StructType = NUMBER_AND_TEXT) -> pa.Table:
    """A column of packed structs."""
    field = pa.field("c", type_, metadata=PACKED)
    return pa.Table.from_arrays([pa.array(rows, type_)], schema=pa.schema([field]))


# Blobs


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


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("name", BLOB_LISTS)
def test_later_versions_have_no_blobs_in_lists(name: str, version: str) -> None:
    """Pylance does not read those that it writes."""
    with pytest.raises(Unsupported, match=r"^schema\.c\.item(\.x)?: found blobs in a list, wanted"):
        written(blob_lists(name, 0, 0), version)


def test_lists_are_no_blobs() -> None:
    """Pylance takes one column for a list with the metadata of blobs, in version 2.0."""
    field = pa.field("c", pa.list_(pa.large_binary()), metadata=BLOB)
    schema = pa.schema([field])
    with pytest.raises(Unsupported, match=r"^schema\.c: found blobs of list<item: large_binary>"):
        written(schema.empty_table(), "2.0")
    check_written(
        pa.Table.from_arrays([pa.array([[b"x"], None], field.type)], schema=schema), "2.2"
    )


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


# Packed structs


@pytest.mark.parametrize("version", VERSIONS)
def test_packed_structs_are_one_column(version: str) -> None:
    """A packed struct is one column, with as many bytes a row as its fields have."""
    table = own_way("packed that are all there")
    data = written(table, version)
    with lance.open(data) as file:
        (column,) = file.columns()
        ((text,),) = encodings(data)
        assert "packed_struct" in text
        sizes = [size for each in column.pages for _, size in each.buffers]
        assert max(sizes) // len(table) == 12


def test_packed_structs_are_never_null_in_2_0() -> None:
    """Version 2.0 has no levels for them."""
    with pytest.raises(Unsupported, match=r"rows\.c: found \d+ nulls, wanted structs"):
        written(own_way("packed"), "2.0")


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
    check_written(packed([{"x": b"y" * 1023}] * 20, pa.struct([("x", pa.binary(1023))])), "2.2")


def test_fields_of_packed_structs_are_never_null() -> None:
    """A null field of a packed struct is refused unless the struct is, and so are null truths."""
    type_ = pa.struct([("x", pa.int8())])
    check_written(packed([{"x": 1}, None], type_), "2.2")
    eight = ZIPPED["lists of eight truth values"]
    for table, problem in [
        (packed([{"x": 1}, {"x": None}], type_), r"x: found nulls, wanted values, in a packed"),
        (packed([{"a": 1, "b": None}]), r"b: found nulls, wanted values, in a packed"),
        (packed([{"a": "x", "b": [None] + [True] * 7}], eight), r"b: found null items, wanted tr"),
    ]:
        with pytest.raises(FormatError, match=rf"^rows\.c\.{problem}"):
            written(table, "2.2")


def test_a_row_is_its_fields_one_after_the_other() -> None:
    """A row has a number's bytes, and a text's length and bytes; a null row has its level alone."""
    with lance.open(
        written(packed([{"a": 258, "b": "xy"}, None, {"a": 1, "b": ""}]), "2.2")
    ) as file:
        (column,) = file.columns()
        (page,) = column.pages
        (at, size), (index, _) = page.buffers
        stored = file.source.read(at, size)
        first = b"\0" + b"\x0a\0\0\0" + b"\x02\x01\0\0" + b"\x02\0\0\0xy"
        assert stored == first + b"\x01" + b"\0" + b"\x08\0\0\0" + b"\x01\0\0\0" + bytes(4)
        assert file.source.read(index, 4) == bytes([0, 15, 16, 29])


def test_descriptions_show_how_fields_are_encoded() -> None:
    """A page's description shows each field with its width, or the bits of its length."""
    data = written(zipped("lists of eight truth values", 9, 0), "2.2")
    assert encodings(data)[0][0] == (
        "full_zip_layout(bits_rep=0, bits_def=0, bits_per_offset=32, "
        "value_compression=variable_packed_struct(fields=["
        "(variable(offsets=flat(32)), bits_per_length=32), (fixed_size_list("
        "items_per_value=8, values=flat(1), has_validity=False), 8)]), layers=[all_valid_item])"
    )


@pytest.mark.parametrize(
    ("codec", "wanted"),
    [
        (None, "fields=[(flat(32), 32), (fsst("),
        ("zstd", "(general("),
        ("none", "(flat(32), 32), (variable("),
    ],
)
def test_text_is_coded_where_that_is_smaller_or_metadata_asks(
    codec: str | None, wanted: str
) -> None:
    """Text in packed structs is coded by FSST, or as the metadata of its field requests."""
    rows = [{"a": n, "b": f"https://example.org/pages/{n % 97}"} for n in range(3000)]
    type_ = pa.struct([("a", pa.int32()), _field(codec)]) if codec else NUMBER_AND_TEXT
    ((found,),) = check_written(packed(rows, type_), "2.2")
    assert wanted in found


def test_invalid_metadata_of_a_field_is_refused() -> None:
    """Invalid metadata of a packed field is refused before any row is written."""
    table = packed([], pa.struct([("a", pa.int32()), _field("best")]))
    wanted = r"^schema\.c\.b\.metadata\.lance-encoding:compression: found 'best', wanted one of"
    with pytest.raises(FormatError, match=wanted):
        written(table, "2.2")


def _field(codec: str) -> pa.Field:
    return pa.field("b", pa.string(), metadata={"lance-encoding:compression": codec})


@pytest.mark.parametrize("version", ["2.0", "2.1"])
@pytest.mark.parametrize("name", ZIPPED)
def test_earlier_versions_have_no_such_rows(name: str, version: str) -> None:
    """Versions before 2.2 refuse text, bytes and lists in packed structs before writing."""
    with pytest.raises(Unsupported, match=r"schema\.c\.[abc]: found .*, wanted numbers and other"):
        written(zipped(name, 0, 0), version)


@pytest.mark.parametrize(
    ("type_", "found"),
    [
        (pa.bool_(), "bool"),
        (pa.null(), "null"),
        (pa.list_(pa.int32()), "list<item: int32>"),
        (pa.struct([("x", pa.int8())]), "struct<x: int8>"),
        (pa.dictionary(pa.int8(), pa.string()), "dictionary<"),
        (pa.list_(pa.bool_(), 7), "fixed_size_list<item: bool>[7]"),
        (pa.list_(pa.list_(pa.bool_(), 3), 3), "fixed_size_list<"),
        (pa.list_(pa.int32(), 0), "fixed_size_list<item: int32>[0]"),
        (pa.list_(pa.string(), 2), "fixed_size_list<item: string>[2]"),
    ],
)
def test_fields_that_are_not_whole_bytes_are_refused(type_: pa.DataType, found: str) -> None:
    """A field that does not take whole bytes is refused by name, beside text too."""
    table = packed([], pa.struct([("a", pa.string()), ("b", type_)]))
    with pytest.raises(Unsupported) as caught:
        written(table, "2.2")
    assert str(caught.value).startswith(f"schema.c.b: found {found}")
    assert str(caught.value).endswith(
        "wanted text, bytes, and values of some bytes each, in a packed struct"
    )


def test_a_row_has_less_than_4_gib(tmp_path: Path) -> None:
    """A row of 4 GiB, 8 bytes of which are the length of its field, is refused."""
    (tmp_path / "sparse").write_bytes(b"")
    size = (1 << 32) - 8
    data = np.memmap(tmp_path / "sparse", np.uint8, "w+", shape=(size,))
    buffers = [None, pa.py_buffer(np.array([0, size], np.int64)), pa.py_buffer(data)]
    child = pa.Array.from_buffers(pa.large_binary(), 1, buffers)
    field = pa.field("a", child.type, metadata={"lance-encoding:compression": "none"})
    structs = pa.StructArray.from_arrays([child], fields=[field])
    schema = pa.schema([pa.field("c", structs.type, metadata=PACKED)])
    wanted = r"^rows\.c: found 4294967296 bytes, wanted less than 4 GiB, in a packed struct$"
    with pytest.raises(Unsupported, match=wanted):
        written(pa.Table.from_arrays([structs], schema=schema), "2.2")


# Fixed-size lists of structs, and structs without fields


def test_a_page_counts_items_as_rows() -> None:
    """The length of a page and the number of its first row count items, not rows."""
    table = pa.table({"c": with_nulls(STRUCT_LISTS["numbers and texts"], 1000, 0.1)})
    data = written(table, "2.2", page_size=2000)
    with lance.open(data) as file:
        for column in file.columns():
            assert len(column.pages) > 2
            assert sum(each.length for each in column.pages) == 3000
            assert [each.priority for each in column.pages] == [each.first for each in column.pages]
    assert "layers=[nullable_item, nullable_item, nullable_item]" in encodings(data)[0][0]


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_earlier_versions_have_no_lists_of_structs(version: str) -> None:
    """Of one size; pylance does not read those that it writes in 2.0."""
    schema = pa.schema([("c", STRUCT_LISTS["one item"])])
    with pytest.raises(Unsupported, match=rf"^schema\.c: .*wanted a type that .* {version}$"):
        written(schema.empty_table(), version)


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        (MIXED, "schema.c: found fields of 1 and 3 items a row, wanted as many in each, with"),
        (
            pa.struct([("a", pa.list_(MIXED, 2))]),
            "schema.c: found fields of 2 and 6 items a row, wanted as many in each, with fixed-s",
        ),
        (
            pa.list_(pa.list_(PAIR, 2)),
            (
                "schema.c: found a list of fixed-size lists of structs,"
                " wanted neither of them inside the other"
            ),
        ),
        (
            pa.map_(pa.string(), pa.struct([("x", pa.list_(PAIR, 2))])),
            (
                "schema.c: found a list of fixed-size lists of structs,"
                " wanted neither of them inside the other"
            ),
        ),
        (
            pa.struct([("s", pa.list_(pa.struct([("x", pa.list_(pa.int8()))]), 2))]),
            "schema.c.s: found a fixed-size list of structs with lists, wanted neither of them",
        ),
        (
            pa.list_(pa.list_(PAIR, 2), 2),
            f"schema.c: found {pa.list_(pa.list_(PAIR, 2), 2)}, wanted a type that is written in",
        ),
        (
            pa.list_(PAIR, 0),
            f"schema.c: found {pa.list_(PAIR, 0)}, wanted a type that is written in version 2.2",
        ),
        (pa.list_(NONE, 2), "schema.c.item: found struct<>, wanted fields, in a list: only ver"),
        (
            pa.list_(pa.struct([pa.field("x", pa.large_binary(), metadata=BLOB)]), 2),
            "schema.c.item.x: found blobs in a list, wanted one for each row: only version 2.0",
        ),
    ],
)
def test_what_pylance_does_not_read_is_refused(type_: pa.DataType, message: str) -> None:
    """Lists of structs that pylance does not read are refused before anything is written."""
    with pytest.raises(Unsupported) as caught:
        written(pa.schema([("c", type_)]).empty_table(), "2.2")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_structs_without_fields_come_last(version: str) -> None:
    """Pylance reads null in what follows them in a column; version 2.0 has columns of them."""
    inner = pa.struct([("x", NONE), ("y", pa.int8())])
    type_ = pa.struct([("a", pa.string()), ("b", inner)])
    wanted = r"^schema\.c\.b\.y: found c\.b\.x, a struct without fields, before it, wanted such str"
    with pytest.raises(Unsupported, match=wanted):
        written(pa.schema([("c", type_)]).empty_table(), version)
    check_written(pa.table({"c": with_nulls(type_, 20, 0)}), "2.0")
    check_written(pa.table({"c": with_nulls(NONE, 20, 0), "d": range(20)}), version)


def test_null_structs_without_fields_are_refused() -> None:
    """Null structs without fields are refused, since their pages have no levels for nulls."""
    for rows, type_ in (([{}, None], NONE), ([None, {"a": 1, "b": {}}], BARE["beside a number"])):
        table = pa.table({"c": pa.array(rows, type_)})
        for version, found in (("2.0", "1 nulls"), ("2.1", "nulls"), ("2.2", "nulls")):
            with pytest.raises(
                Unsupported, match=rf"^rows\.c(\.b)?: found {found}, wanted structs"
            ):
                written(table, version)


def test_structs_without_fields_are_in_lists_in_one_version() -> None:
    """In 2.0, whose lists have columns of their own."""
    table = pa.table({"c": pa.array([[{}, {}], [], None, [{}]] * 300, pa.list_(NONE))})
    check_written(table, "2.0")
    for version in ("2.1", "2.2"):
        with pytest.raises(
            Unsupported, match=r"^schema\.c\.item: found struct<>, wanted fields, i"
        ):
            written(table, version)


MADE: dict[str, tuple[pa.Table, str]] = {
    "lists of structs": (
        pa.table({"c": with_nulls(STRUCT_LISTS["lists in lists"], 4, 0.3)}),
        "2.2",
    ),
    "blobs": (blob_lists("blobs in lists", 6, 0.3), "2.0"),
    "packed": (
        packed([{"a": n, "b": "w" * (n % 5)} if n % 4 else None for n in range(20)]),
        "2.2",
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_damage_is_refused_or_changes_values_alone(name: str) -> None:
    """Every prefix is refused; a flipped byte gives an error of ours, or rows."""
    data, rows = written(*MADE[name]), len(MADE[name][0])
    for size in range(len(data)):
        with pytest.raises(ByteloomError):
            lance.open(data[:size]).to_table()
    read = 0
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x85
        try:
            read += len(lance.open(bytes(damaged)).to_table()) == rows
        except ByteloomError:
            continue
    assert 0 < read < len(data)
