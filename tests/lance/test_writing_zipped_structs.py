"""Packed structs with text, bytes and fixed-size lists, which version 2.2 stores row after row."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.outside_pages import PACKED
from tests.support.written_lance import written
from tests.support.zipped_structs import SIZES, ZIPPED, rows_of, zipped

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.lance.describing import encoding_text
from byteloom.lance.writing.packed import zipped_structs
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path

NUMBER_AND_TEXT = ZIPPED["number and text"]


def packed(rows: list[Any], type_: pa.StructType = NUMBER_AND_TEXT) -> pa.Table:
    """A column of packed structs."""
    field = pa.field("c", type_, metadata=PACKED)
    return pa.Table.from_arrays([pa.array(rows, type_)], schema=pa.schema([field]))


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("name", ZIPPED)
def test_rows_are_read_as_they_were_given(name: str, rows: int) -> None:
    """Packed structs, in columns, lists and structs, are read whole, in ranges and by numbers."""
    for nulls in (0, 0.3, 1):
        table = zipped(name, rows, nulls)
        for size in (8 << 20, 1 + table.nbytes // 5):
            with lance.open(written(table, "2.2", page_size=size)) as file:
                assert difference(file.to_table(), table) is None
                middle = range(rows // 3, rows // 2)
                found = file.scan(rows=middle, batch_size=100).to_table()
                assert difference(found, table[middle.start : middle.stop]) is None
                some = sorted({0, rows // 2, rows - 1}) if rows else []
                assert difference(file.take(some), rows_of(table, some)) is None


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
    with lance.open(written(zipped("lists of eight truth values", 9, 0), "2.2")) as file:
        page = file.columns()[0].pages[0]
        assert encoding_text(page, DEFAULT_LIMITS) == (
            "full_zip_layout(bits_rep=0, bits_def=0, bits_per_offset=32, "
            "value_compression=variable_packed_struct(fields=["
            "(variable(offsets=flat(32)), bits_per_length=32), (fixed_size_list("
            "items_per_value=8, values=flat(1), has_validity=False), 8)]), layers=[all_valid_item])"
        )


def test_text_is_coded_where_that_is_smaller_or_metadata_asks() -> None:
    """Text in packed structs is coded by FSST, or as the metadata of its field requests."""
    rows = [{"a": n, "b": f"https://example.org/pages/{n % 97}"} for n in range(3000)]
    plain = packed(rows)
    asked = pa.struct([("a", pa.int32()), _field("zstd")])
    never = pa.struct([("a", pa.int32()), _field("none")])
    texts = {}
    for name, table in [("", plain), ("zstd", packed(rows, asked)), ("none", packed(rows, never))]:
        with lance.open(written(table, "2.2")) as file:
            assert difference(file.to_table(), table) is None
            assert difference(file.take([7, 2999]), table.take([7, 2999])) is None
            texts[name] = encoding_text(file.columns()[0].pages[0], DEFAULT_LIMITS)
    assert "fields=[(flat(32), 32), (fsst(" in texts[""]
    assert "(general(" in texts["zstd"]
    assert "(flat(32), 32), (variable(" in texts["none"]


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


def test_null_fields_are_refused() -> None:
    """Null fields of packed structs are refused, and null items of lists of truth values."""
    with pytest.raises(FormatError, match=r"^rows\.c\.b: found nulls, wanted values, in a packed"):
        written(packed([{"a": 1, "b": None}]), "2.2")
    type_ = ZIPPED["lists of eight truth values"]
    table = packed([{"a": "x", "b": [None] + [True] * 7}], type_)
    wanted = r"^rows\.c\.b: found null items, wanted truth values, in a packed struct"
    with pytest.raises(FormatError, match=wanted):
        written(table, "2.2")


def test_a_row_has_less_than_4_gib(tmp_path: Path) -> None:
    """A row of 4 GiB, 8 bytes of which are the length of its field, is refused."""
    (tmp_path / "sparse").write_bytes(b"")
    size = (1 << 32) - 8
    data = np.memmap(tmp_path / "sparse", np.uint8, "w+", shape=(size,))
    buffers = [None, pa.py_buffer(np.array([0, size], np.int64)), pa.py_buffer(data)]
    child = pa.Array.from_buffers(pa.large_binary(), 1, buffers)
    field = pa.field("a", child.type, metadata={"lance-encoding:compression": "none"})
    structs = pa.StructArray.from_arrays([child], fields=[field])
    wanted = r"^rows\.c: found 4294967296 bytes, wanted less than 4 GiB, in a packed struct$"
    with pytest.raises(Unsupported, match=wanted):
        zipped_structs(structs, "c", "2.2")


def test_damage_is_refused_or_changes_values_alone() -> None:
    """Every truncated file is refused; a changed byte gives a `ByteloomError` or rows."""
    rows = [{"a": n, "b": "w" * (n % 5), "c": Decimal(n)} if n % 4 else None for n in range(20)]
    type_ = pa.struct([*NUMBER_AND_TEXT, ("c", pa.decimal128(9, 2))])
    data = written(packed(rows, type_), "2.2")
    for size in range(len(data)):
        with pytest.raises(ByteloomError):
            lance.open(data[:size]).to_table()
    with lance.open(data) as file:
        ((at, size), _) = file.columns()[0].pages[0].buffers
    read = 0
    for place in range(at, at + size):
        damaged = bytearray(data)
        damaged[place] ^= 0x85
        try:
            read += len(lance.open(bytes(damaged)).to_table()) == len(rows)
        except ByteloomError:
            continue
    assert 0 < read < size
