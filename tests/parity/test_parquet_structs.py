"""The walk over Parquet's structs finds what pyarrow finds in the same footers.

It takes the fields of a struct one by one, which no public interface returns.
"""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples

from byteloom.errors import FormatError
from byteloom.parquet.structs import StructWalk

END = 8
"""Bytes of the length and the magic after a footer."""

CODECS = ("none", "snappy", "gzip", "zstd")


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file of a few columns, in a few row groups."""
    rows = draw(st.integers(0, 40))
    kinds = draw(st.lists(st.sampled_from(["int", "text", "list", "struct"]), min_size=1))
    made = {f"{kind}{number}": _column(kind, rows) for number, kind in enumerate(kinds)}
    metadata = draw(st.none() | st.dictionaries(st.text(max_size=5), st.text(max_size=5)))
    table = pa.table(made).replace_schema_metadata(metadata)
    out = io.BytesIO()
    pq.write_table(
        table,
        out,
        row_group_size=draw(st.integers(1, 20)),
        compression=draw(st.sampled_from(CODECS)),
        write_page_index=draw(st.booleans()),
        store_schema=draw(st.booleans()),
    )
    return out.getvalue()


def _column(kind: str, rows: int) -> pa.Array:
    """Return a column of a kind."""
    values: dict[str, list[Any]] = {
        "int": [None if each % 5 == 4 else each - 9 for each in range(rows)],
        "text": [f"é{each}" for each in range(rows)],
        "list": [[each] * (each % 3) for each in range(rows)],
        "struct": [{"x": each / 2, "y": None} for each in range(rows)],
    }
    types = {
        "int": pa.int64(),
        "text": pa.string(),
        "list": pa.list_(pa.int32()),
        "struct": pa.struct({"x": pa.float64(), "y": pa.bool_()}),
    }
    return pa.array(values[kind], types[kind])


def footer(file: bytes) -> tuple[bytes, int]:
    """Return the footer's struct and its place."""
    size = int.from_bytes(file[-END:-4], "little")
    start = len(file) - END - size
    return file[start : start + size], start


@given(files())
@examples(0.5)
def test_footers_are_those_of_pyarrow(file: bytes) -> None:
    """Numbers, names, places, sizes and counts of all column chunks are equal."""
    data, start = footer(file)
    walk = StructWalk(data, start)
    found = {each.path: each.value for each in walk.fields("FileMetaData")}
    theirs = pq.read_metadata(io.BytesIO(file))
    assert walk.place == len(file) - END
    assert (found["num_rows"], found["created_by"]) == (theirs.num_rows, theirs.created_by)
    assert found["num_row_groups"] == theirs.num_row_groups
    for group in range(theirs.num_row_groups):
        of_group = theirs.row_group(group)
        assert found[f"row_groups[{group}].num_rows"] == of_group.num_rows
        assert found[f"row_groups[{group}].num_columns"] == of_group.num_columns
        for number in range(of_group.num_columns):
            chunk, at = of_group.column(number), f"row_groups[{group}].columns[{number}].meta_data"
            assert ".".join(found[f"{at}.path_in_schema"]) == chunk.path_in_schema
            assert found[f"{at}.type"].name == chunk.physical_type
            assert found[f"{at}.codec"].name == chunk.compression
            assert {each.name for each in found[f"{at}.encodings"]} == set(chunk.encodings)
            for name in ("num_values", "total_compressed_size", "data_page_offset"):
                assert found[f"{at}.{name}"] == getattr(chunk, name)
            if chunk.is_stats_set and chunk.statistics.has_null_count:
                assert found[f"{at}.statistics.null_count"] == chunk.statistics.null_count


@given(files())
@examples(0.1)
def test_places_are_where_the_fields_are(file: bytes) -> None:
    """Fields of one struct follow one another, inside the struct that they are in."""
    data, start = footer(file)
    ends: list[int] = []
    for each in StructWalk(data, start).fields("FileMetaData"):
        assert start <= each.place < each.end <= start + len(data)
        del ends[each.depth + 1 :]
        ends += [each.place] * (each.depth + 1 - len(ends))
        assert each.place >= ends[each.depth] or each.value is None
        ends[each.depth] = each.end if each.value is not None else each.place


@given(files(), st.data())
@examples(0.3)
def test_damaged_footers_are_an_error_or_another_footer(file: bytes, data: st.DataObject) -> None:
    """Each prefix is refused, and a flipped bit is read or refused with a place in the footer."""
    stored, start = footer(file)
    cut = data.draw(st.integers(0, len(stored) - 1))
    with pytest.raises(FormatError):
        list(StructWalk(stored[:cut], start).fields("FileMetaData"))
    at, bit = data.draw(st.integers(0, len(stored) - 1)), data.draw(st.integers(0, 7))
    flipped = bytearray(stored)
    flipped[at] ^= 1 << bit
    place = _first_error(bytes(flipped), start)
    assert place is None or start <= place <= start + len(stored)


def _first_error(stored: bytes, start: int) -> int | None:
    """Return the place of the first error in a footer; None for a footer that is read."""
    try:
        list(StructWalk(stored, start).fields("FileMetaData"))
    except FormatError as error:
        return -1 if error.offset is None else error.offset
    return None
