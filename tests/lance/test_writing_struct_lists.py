"""Fixed-size lists of structs, structs without fields, and blobs in lists, written and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.outside_pages import BLOB
from tests.support.struct_lists import (
    BARE,
    BLOB_LISTS,
    PAIR,
    STRUCT_LISTS,
    blob_lists,
    with_nulls,
)
from tests.support.written_lance import written
from tests.support.zipped_structs import SIZES, rows_of

from byteloom import lance
from byteloom.errors import ByteloomError, Unsupported
from byteloom.lance.describing import encoding_text
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path

NONE = pa.struct([])
MIXED = pa.struct([("a", pa.int8()), ("b", pa.list_(PAIR, 3))])


def check(table: pa.Table, version: str) -> None:
    """Write and read *table*, in one page and in many: whole, a range, rows by their numbers."""
    rows = table.num_rows
    for size in (8 << 20, 1 + table.nbytes // 5):
        with lance.open(written(table, version, page_size=size)) as file:
            assert difference(file.to_table(), table) is None
            found = file.scan(rows=range(rows // 3, rows // 2), batch_size=100).to_table()
            assert difference(found, table[rows // 3 : rows // 2]) is None
            some = sorted({0, rows // 2, rows - 1}) if rows else []
            assert difference(file.take(some), rows_of(table, some)) is None


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("name", STRUCT_LISTS)
def test_lists_of_structs_are_read_as_they_were_given(name: str, rows: int) -> None:
    """Null at every level, or nowhere; part of an array; beside another column."""
    for nulls in (0, 0.3, 1):
        array = with_nulls(STRUCT_LISTS[name], rows + 5, nulls)[5:]
        check(pa.table({"id": range(rows), "c": array}), "2.2")


def test_a_page_counts_items_as_rows() -> None:
    """The length of a page and the number of its first row count items, not rows."""
    table = pa.table({"c": with_nulls(STRUCT_LISTS["numbers and texts"], 1000, 0.1)})
    with lance.open(written(table, "2.2", page_size=2000)) as file:
        for column in file.columns():
            assert len(column.pages) > 2
            assert sum(each.length for each in column.pages) == 3000
            assert [each.priority for each in column.pages] == [each.first for each in column.pages]
        text = encoding_text(file.columns()[0].pages[0], DEFAULT_LIMITS)
        assert "layers=[nullable_item, nullable_item, nullable_item]" in text


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


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@pytest.mark.parametrize("name", BARE)
def test_structs_without_fields_are_read_as_they_were_given(
    name: str, version: str, tmp_path: Path
) -> None:
    """Structs without fields are read as written, alone and beside others."""
    for rows in SIZES:
        table = pa.table({"c": with_nulls(BARE[name], rows, 0)})
        check(table, version)
    dataset = lance.write_dataset(tmp_path / "d", table, version=version)
    assert difference(dataset.to_table(), table) is None


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_structs_without_fields_come_last(version: str) -> None:
    """Pylance reads null in what follows them in a column; version 2.0 has columns of them."""
    inner = pa.struct([("x", NONE), ("y", pa.int8())])
    type_ = pa.struct([("a", pa.string()), ("b", inner)])
    wanted = r"^schema\.c\.b\.y: found c\.b\.x, a struct without fields, before it, wanted such str"
    with pytest.raises(Unsupported, match=wanted):
        written(pa.schema([("c", type_)]).empty_table(), version)
    check(pa.table({"c": with_nulls(type_, 20, 0)}), "2.0")
    check(pa.table({"c": with_nulls(NONE, 20, 0), "d": range(20)}), version)


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
    check(table, "2.0")
    for version in ("2.1", "2.2"):
        with pytest.raises(
            Unsupported, match=r"^schema\.c\.item: found struct<>, wanted fields, i"
        ):
            written(table, version)


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("name", BLOB_LISTS)
def test_blobs_in_lists_are_read_as_they_were_given(name: str, rows: int) -> None:
    """Blobs in lists are read as written in version 2.0, where structs in lists are never null."""
    for nulls in (0, 0.3, 1):
        check(blob_lists(name, rows, nulls), "2.0")


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
    check(pa.Table.from_arrays([pa.array([[b"x"], None], field.type)], schema=schema), "2.2")


@pytest.mark.parametrize("name", ["structs", "blobs"])
def test_damage_is_refused_or_changes_values_alone(name: str) -> None:
    """Every prefix is refused; a flipped byte gives an error of ours, or rows."""
    if name == "structs":
        table, version = pa.table({"c": with_nulls(STRUCT_LISTS["lists in lists"], 4, 0.3)}), "2.2"
    else:
        table, version = blob_lists("blobs in lists", 6, 0.3), "2.0"
    data = written(table, version)
    for size in range(len(data)):
        with pytest.raises(ByteloomError):
            lance.open(data[:size]).to_table()
    read = 0
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x85
        try:
            read += len(lance.open(bytes(damaged)).to_table()) == len(table)
        except ByteloomError:
            continue
    assert 0 < read < len(data)
