"""A plain reader reads pages of our Lance files; damaged ones are read by both readers or none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.lance_plain_layers import Refused, leaf_values
from tests.support.lance_plain_pages import array_values, constant_page, full_zip_page
from tests.support.lance_plain_rows import rows_of_page
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import ByteloomError
from byteloom_generated.lance.encodings20 import ArrayEncoding
from byteloom_generated.lance.encodings21 import PageLayout, RepDefLayer

VERSIONS = ["2.0", "2.1", "2.2"]
RANDOM = np.random.default_rng(7)
COUNT = 1500

COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "packed": (pa.int32(), RANDOM.integers(0, 1000, COUNT).tolist()),
    "bytes": (pa.uint8(), RANDOM.integers(0, 256, COUNT).tolist()),
    "wide": (pa.int64(), RANDOM.integers(-(1 << 62), 1 << 62, COUNT).tolist()),
    "runs": (pa.int64(), [each // 100 << 40 for each in range(COUNT)]),
    "booleans": (pa.bool_(), (RANDOM.integers(0, 2, COUNT) == 1).tolist()),
    "texts": (pa.string(), ["x" * int(each) for each in RANDOM.integers(0, 9, 40)]),
    "few texts": (pa.string(), [f"a text, {each}" for each in RANDOM.integers(0, 9, COUNT)]),
    "doubles": (pa.float64(), (RANDOM.integers(0, 9, COUNT) / 7).tolist()),
    "large texts": (pa.large_binary(), [RANDOM.bytes(400) for _ in range(30)]),
    "one number": (pa.int64(), [1 << 50] * COUNT),
    "one text": (pa.string(), ["the same"] * COUNT),
    "words": (
        pa.string(),
        [
            " ".join(np.array(["lorem", "ipsum", "dolor"])[RANDOM.integers(0, 3, 9)])
            for _ in range(300)
        ],
    ),
    "blocks": (pa.binary(600), [RANDOM.bytes(600) for _ in range(20)]),
}


def table(name: str, *, has_nulls: bool) -> pa.Table:
    """A table of one column, with nulls or without."""
    of, values = COLUMNS[name]
    kept = [None if has_nulls and at % 7 == 3 else each for at, each in enumerate(values)]
    return pa.table({"c": pa.array(kept, of)})


def file_of(name: str, version: str, *, has_nulls: bool) -> bytes:
    """A file of one column, whose parts are as large as they are without compression by default."""
    return written(table(name, has_nulls=has_nulls), version)


def plainly(data: bytes, of: pa.DataType) -> list[Any] | None:
    """The values of the one column of a file as a plain reader finds them; None for damage."""
    found = list[Any]()
    with lance.open(data) as file:
        (column,) = file.columns()
    try:
        for page in column.pages:
            buffers = [data[at : at + size] for at, size in page.buffers]
            if page.encoding.type.endswith("ArrayEncoding"):
                encoding = ArrayEncoding.parse(page.encoding.data)
                found += leaf_values(of, array_values(encoding, buffers, page.length))
                continue
            layout = PageLayout.parse(page.encoding.data)
            if layout.HasField("constant_layout"):
                stored = constant_page(layout.constant_layout, buffers, page.length)
                found += leaf_values(of, stored)
            elif layout.HasField("full_zip_layout"):
                # All rows are read without the index of rows, which may be damaged.
                is_nullable = RepDefLayer.REPDEF_NULLABLE_ITEM in layout.full_zip_layout.layers
                stored = full_zip_page(layout.full_zip_layout, buffers, is_nullable=is_nullable)
                found += leaf_values(of, stored)
            else:
                found += rows_of_page(data, page, of, range(page.length))
    except (ValueError, ByteloomError, Refused):
        return None
    return found


def by_reader(data: bytes) -> list[Any] | None:
    """The values that a scan gives; None where the file is refused."""
    try:
        with lance.open(data) as file:
            found: list[Any] = file.to_table()["c"].to_pylist()
            return found
    except ByteloomError:
        return None


columns = pytest.mark.parametrize("name", COLUMNS)
versions = pytest.mark.parametrize("version", VERSIONS)


@columns
@versions
@pytest.mark.parametrize("has_nulls", [False, True])
def test_what_is_written_is_read_by_a_plain_reader(
    name: str, version: str, has_nulls: bool
) -> None:
    """A plain reader finds the written values of each column, in every encoding."""
    data = file_of(name, version, has_nulls=has_nulls)
    wanted = table(name, has_nulls=has_nulls)["c"].to_pylist()
    assert plainly(data, COLUMNS[name][0]) == by_reader(data) == wanted


@columns
@given(data=st.data())
def test_damaged_pages_are_refused_by_both(name: str, data: st.DataObject) -> None:
    """With flipped bits, the plain reader and the scan find the same values, or none."""
    version, has_nulls = data.draw(st.sampled_from(VERSIONS)), data.draw(st.booleans())
    stored = bytearray(file_of(name, version, has_nulls=has_nulls))
    with lance.open(bytes(stored)) as file:
        buffers = [place for page in file.columns()[0].pages for place in page.buffers]
        places = [place for place in buffers if place[1]]
    if not places:
        return  # the value is in the description of the page
    for _ in range(data.draw(st.integers(1, 2))):
        at, size = data.draw(st.sampled_from(places))
        at += data.draw(st.integers(0, size - 1) | st.integers(0, min(size - 1, 15)))
        stored[at] ^= 1 << data.draw(st.integers(0, 7))
    assert by_reader(bytes(stored)) == plainly(bytes(stored), COLUMNS[name][0])


def _struct_of(row: bytes) -> dict[str, Any]:
    """A number of 32 bits, a text of few bytes after its length, and bytes after theirs."""
    text = int.from_bytes(row[4:8], "little")
    rest = row[8 + text :]
    assert int.from_bytes(rest[:8], "little") == len(rest) - 8
    number = int.from_bytes(row[:4], "little", signed=True)
    return {"a": number, "b": row[8 : 8 + text].decode(), "c": rest[8:]}


@pytest.mark.parametrize("every", [7, 5000])
def test_rows_of_packed_structs_are_read_by_a_plain_reader(every: int) -> None:
    """A plain reader finds the fields of packed structs, of which null ones have no bytes."""
    rows = [
        None if at % every == 3 else {"a": at - 700, "b": "x" * (at % 9), "c": b"y" * (at % 5)}
        for at in range(COUNT)
    ]
    type_ = pa.struct([("a", pa.int32()), ("b", pa.string()), ("c", pa.large_binary())])
    field = pa.field("c", type_, metadata={"lance-encoding:packed": "true"})
    stored = pa.Table.from_arrays([pa.array(rows, type_)], schema=pa.schema([field]))
    data = written(stored, "2.2")
    with lance.open(data) as file:
        (page,) = file.columns()[0].pages
    layout = PageLayout.parse(page.encoding.data).full_zip_layout
    buffers = [data[at : at + size] for at, size in page.buffers]
    is_nullable = RepDefLayer.REPDEF_NULLABLE_ITEM in layout.layers
    found = full_zip_page(layout, buffers, is_nullable=is_nullable)
    plain = [None if each is None else _struct_of(each) for each in found]
    assert plain == rows == by_reader(data)
