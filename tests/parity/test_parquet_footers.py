"""The loops over Parquet's footers and page headers find what the spec's tables say is there."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.thrift import footer_of, struct_at

from byteloom.errors import FormatError
from byteloom.kernels.parquet_files import CHUNK_FIELDS, FILE_FIELDS, GROUP_FIELDS, find_files
from byteloom.kernels.parquet_footers import (
    BOUND,
    HISTOGRAM,
    TEXT_SIZE,
    TYPE,
    check_chunks,
    find_schema,
    schema_leaves,
)
from byteloom.kernels.parquet_narrowing import FOOTER_FIELDS, find_chunks, put_footer
from byteloom.kernels.parquet_narrowing import GROUP_FIELDS as NARROW_GROUP_FIELDS
from byteloom.kernels.parquet_pages import PAGE_FIELDS, find_pages
from byteloom.kernels.parquet_structs import CODECS_READ, heads, numbers
from byteloom.parquet import held_files
from byteloom.parquet.forms import Forms
from byteloom.parquet.held_files import Footers, found_chunks, found_pages
from byteloom.parquet.structs import StructWalk
from byteloom_generated.parquet.footers import (
    CODECS,
    COLUMN_META_DATA,
    PAGE_HEADER,
    PAGE_TYPES,
    REPETITIONS,
    TYPES,
)

INT64, BYTE_ARRAY = numbers(TYPES, "INT64", "BYTE_ARRAY")

OPTIONS = st.fixed_dictionaries(
    {
        "compression": st.sampled_from(["none", "snappy", "gzip", "lz4", "zstd"]),
        "use_dictionary": st.booleans(),
        "data_page_version": st.sampled_from(["1.0", "2.0"]),
        "data_page_size": st.sampled_from([64, 1 << 20]),
        "row_group_size": st.integers(1, 300),
        "write_page_checksum": st.booleans(),
        "write_statistics": st.booleans(),
        "write_page_index": st.booleans(),
    }
)
TABLE = pa.table(
    {
        "b": pa.array([each % 3 == 0 for each in range(300)]),
        "i": pa.array([each if each % 5 else None for each in range(300)], pa.int32()),
        "s": pa.array([f"text {each % 9}" for each in range(300)]),
        "f": pa.array([bytes([each % 7] * 4) for each in range(300)], pa.binary(4)),
        "l": pa.array([[each, None] if each % 4 else None for each in range(300)]),
        "t": pa.array([{"a": float(each)} for each in range(300)]),
    }
)


def written(options: dict[str, Any]) -> bytes:
    """A file by pyarrow."""
    out = io.BytesIO()
    pq.write_table(TABLE, out, **options)
    return out.getvalue()


def found_in(file: bytes) -> tuple[Any, Any, Any, Any, Any]:
    """What the loops find: leaves, the file, row groups, chunks, and their pages."""
    data = np.frombuffer(file, np.uint8)
    footers = Footers.of(data, [len(file)])
    place = np.zeros(FILE_FIELDS, np.int64)
    find_schema(footers.data, place)
    leaves = np.zeros((len(file), 4), np.int64)
    leaves = leaves[: schema_leaves(footers.data, place[0], leaves)].copy()
    wanted = np.ones(len(leaves), np.uint8)
    files = np.zeros((1, FILE_FIELDS), np.int64)
    groups = np.zeros((400, GROUP_FIELDS), np.int64)
    chunks = np.zeros((400 * len(leaves), CHUNK_FIELDS), np.int64)
    counts = find_files(footers.data, footers.places, leaves, wanted, files, groups, chunks)
    assert counts[0] == 1
    groups, chunks = groups[: counts[1]], chunks[: counts[2]]
    pages, sums = np.zeros((9_000, PAGE_FIELDS), np.int64), np.zeros(9_000, np.int64)
    count = find_pages(data, chunks.copy(), pages, sums)
    assert count >= 0
    return leaves, files[0], groups, chunks, (pages[:count], sums[:count])


def name_of(table: Any, number: int) -> str:
    """The name of a number."""
    return next(str(each.name) for each in table if each.number == number)


@given(OPTIONS)
def test_footers_have_the_chunks_that_the_tables_find(options: dict[str, Any]) -> None:
    """The loops find the leaves, row groups and chunks that the spec's tables find."""
    file = written(options)
    footer = footer_of(file)
    leaves, place, groups, chunks, _ = found_in(file)
    elements = [each for each in footer["schema"] if "type" in each]
    assert leaves[:, 0].tolist() == [each["type"] for each in elements]
    described = pq.ParquetFile(io.BytesIO(file)).schema
    for at, leaf in enumerate(leaves.tolist()):
        column = described.column(at)
        assert name_of(TYPES, leaf[0]) == column.physical_type
        assert leaf[2:] == [column.max_repetition_level, column.max_definition_level]
    assert place[4] == footer["num_rows"]
    assert groups[:, 1].tolist() == [each["num_rows"] for each in footer["row_groups"]]
    wanted = []
    for number, group in enumerate(footer["row_groups"]):
        for leaf, chunk in enumerate(group["columns"]):
            stated = chunk["meta_data"]
            pages = stated["data_page_offset"]
            start = stated.get("dictionary_page_offset") or pages
            end = start + stated["total_compressed_size"]
            raw = stated["total_uncompressed_size"]
            wanted.append([number, leaf, start, end, stated["num_values"], stated["codec"], raw])
    assert chunks[:, :7].tolist() == wanted


@pytest.mark.parametrize(
    ("codec", "name"),
    [
        ("none", "UNCOMPRESSED"),
        ("snappy", "SNAPPY"),
        ("gzip", "GZIP"),
        ("brotli", "BROTLI"),
        ("lz4", "LZ4_RAW"),
        ("zstd", "ZSTD"),
    ],
)
def test_codecs_have_their_names(codec: str, name: str) -> None:
    """The number that pyarrow writes for a codec has its name in the table."""
    footer = footer_of(written({"compression": codec}))
    chunks = [chunk for group in footer["row_groups"] for chunk in group["columns"]]
    assert {name_of(CODECS, chunk["meta_data"]["codec"]) for chunk in chunks} == {name}


@given(OPTIONS)
def test_chunks_have_the_pages_that_the_tables_find(options: dict[str, Any]) -> None:
    """The loops find the page headers, bytes, levels and checksums that the tables find."""
    file = written(options | {"compression": "zstd"})
    *_, chunks, (pages, sums) = found_in(file)
    wanted, checksums = [], []
    for chunk, (_, _, at, end, _, codec, *_) in enumerate(chunks.tolist()):
        assert name_of(CODECS, codec) == "ZSTD"
        place = at
        while place < end:
            stated, begin = struct_at(file, place, "PageHeader")
            place = begin + stated["compressed_page_size"]
            kind = name_of(PAGE_TYPES, stated["type"])
            name = {"DATA_PAGE_V2": "data_page_header_v2"}.get(kind, f"{kind.lower()}_header")
            plain = 0
            if kind == "DATA_PAGE_V2":
                plain = stated[name]["definition_levels_byte_length"]
                plain += stated[name]["repetition_levels_byte_length"]
                if not stated[name].get("is_compressed", True):
                    plain = stated["compressed_page_size"]
            (field,) = numbers(PAGE_HEADER, name)
            raw = stated["uncompressed_page_size"]
            wanted.append([chunk, field, begin, place, plain, raw])
            checksums.append(stated["crc"] & 0xFFFFFFFF if "crc" in stated else -1)
    assert pages[:, [0, 1, 4, 5, 6, 7]].tolist() == wanted
    assert sums.tolist() == checksums


def test_a_file_of_several_has_every_field_that_must_be_there() -> None:
    """The joined footer of several files has every field that the tables require, and no other."""
    one = written({"compression": "zstd", "row_group_size": 100, "data_page_version": "2.0"})
    data = np.frombuffer(one + one, np.uint8)
    footers = Footers.of(data, [len(one), 2 * len(one)])
    form = footers.form(Forms())
    assert form is not None
    files, groups, chunks = found_chunks(footers, form, np.ones(len(form.leaves), np.uint8))
    pages, sums = found_pages(data, chunks)
    assert pages is not None
    parts = held_files._Parts(files[0], groups, chunks, pages, sums)
    image = held_files._image(data, footers, form.leaves, parts)
    assert image is not None
    made = image.to_pybytes()
    footer, before = footer_of(made), footer_of(one)
    assert footer["schema"] == before["schema"]
    assert footer["num_rows"] == 600
    assert [each["num_rows"] for each in footer["row_groups"]] == [100] * 6
    for group in footer["row_groups"]:
        for chunk in group["columns"]:
            stated = chunk["meta_data"]
            at = stated.get("dictionary_page_offset") or stated["data_page_offset"]
            end, values = at + stated["total_compressed_size"], 0
            while at < end:
                head, at = struct_at(made, at, "PageHeader")
                at += head["compressed_page_size"]
                values += head.get("data_page_header_v2", {"num_values": 0})["num_values"]
            assert (at, values) == (end, stated["num_values"])


def test_a_head_is_the_step_from_the_field_before_and_the_kind() -> None:
    """A field's head byte holds the step from the field before, 1 to 15, and the kind."""
    assert heads(COLUMN_META_DATA, "type", "encodings", "codec") == (0x15, 0x19, 0x25)
    with pytest.raises(ValueError, match=r"^size_statistics: found a step of 16, wanted 1 to 15$"):
        heads(COLUMN_META_DATA, "size_statistics")
    with pytest.raises(ValueError, match=r"^type: found a step of -1, wanted 1 to 15$"):
        heads(COLUMN_META_DATA, "encodings", "type")


def test_a_name_that_no_table_has_is_no_number() -> None:
    """Asking for the number of a name that no table has raises `KeyError`."""
    assert numbers(REPETITIONS, "REPEATED", "REQUIRED") == (2, 0)
    with pytest.raises(KeyError, match="repeated"):
        numbers(REPETITIONS, "repeated")


@pytest.mark.parametrize("key", ["ARROW:schemb", "BRROW:schema", "ARROW:schem", "ARROW:schema_"])
def test_the_schema_of_arrow_is_found_by_its_whole_key(key: str) -> None:
    """Only the exact key finds Arrow's schema, and not one that is nearly the same."""
    table = pa.table({"a": [1]})
    for is_stored in (False, True):
        out = io.BytesIO()
        with pq.ParquetWriter(out, table.schema, store_schema=is_stored) as writer:
            writer.write_table(table)
            writer.add_key_value_metadata({key: "its value"})
        assert pq.read_metadata(out).metadata[key.encode()] == b"its value"
        _, place, *_ = found_in(out.getvalue())
        assert bool(place[3] - place[2] > 99) is is_stored
        assert is_stored or place[2:4].tolist() == [0, 0]


def damaged_footers() -> list[bytes]:
    """A file with each bit of its footer flipped, and with each of its bytes left out."""
    out = io.BytesIO()
    columns = {"i": pa.array([1, 2]), "l": pa.array([[1], None]), "s": pa.array(["a", "b"])}
    options = {"row_group_size": 1, "compression": "none", "store_schema": False}
    pq.write_table(pa.table(columns).select(["i", "l"]), out, **options)
    file = out.getvalue()
    size = int.from_bytes(file[-8:-4], "little")
    begin, tail = len(file) - 8 - size, file[-4:]
    footer = file[begin:-8]
    number = int.from_bytes(footer, "big")
    flips = [(number ^ 1 << bit).to_bytes(size, "big") for bit in range(8 * size)]
    cuts = [footer[:at] + footer[at + 1 :] for at in range(size)]
    return [
        file[:begin] + each + len(each).to_bytes(4, "little") + tail for each in [*flips, *cuts]
    ]


def test_loops_over_lists_find_of_damaged_footers_what_the_tables_find() -> None:
    """Where both read a damaged footer, they find the same row groups, which have all rows."""
    both = refused = 0
    for file in DAMAGED:
        loops, tables = by_loops(file), by_tables(file)
        if loops is None:
            refused += 1
        elif tables is not None:
            both += 1
            assert loops == tables
            assert sum(rows for rows, *_ in loops) == footer_of(file)["num_rows"]
    assert both > 100
    assert refused > 1000


def by_loops(file: bytes) -> list[list[int]] | None:
    """The rows of each group, then places and values of its chunks; None for what is unusual."""
    data = np.frombuffer(file, np.uint8)
    footers = Footers.of(data, [len(file)])
    place = np.zeros(FILE_FIELDS, np.int64)
    find_schema(footers.data, place)
    if not place[1]:
        return None
    leaves = np.zeros((len(file), 4), np.int64)
    count = schema_leaves(footers.data, place[0], leaves)
    if count < 0:
        return None
    leaves = leaves[:count].copy()
    files = np.zeros((1, FILE_FIELDS), np.int64)
    groups = np.zeros((400, GROUP_FIELDS), np.int64)
    chunks = np.zeros((400 * max(count, 1), CHUNK_FIELDS), np.int64)
    wanted = np.ones(count, np.uint8)
    counts = find_files(footers.data, footers.places, leaves, wanted, files, groups, chunks)
    if counts[0] != 1:
        return None
    found = groups[: counts[1], 1].reshape(-1, 1).tolist()
    for group, _, start, end, values, *_ in chunks[: counts[2]].tolist():
        found[group] += [start, end, values]
    return found


def by_tables(file: bytes) -> list[list[int]] | None:
    """The rows of each group, places and values of its chunks, by the spec's tables alone."""
    try:
        footer = footer_of(file)
    except (AssertionError, IndexError):
        return None
    found = []
    for group in footer["row_groups"]:
        row = [group["num_rows"]]
        for chunk in group["columns"]:
            known = chunk.get("meta_data")
            if known is None:
                return None
            pages, values = known["data_page_offset"], known["num_values"]
            start = known.get("dictionary_page_offset", 0)
            start = start if 0 < start < pages else pages
            row += [start, start + known["total_compressed_size"], values] if values else [4, 4, 0]
        found.append(row)
    return found


DAMAGED = damaged_footers()
"""Each bit and byte; of every third file, all bits of a byte have their turn somewhere."""


def leaves_of(footer: np.ndarray) -> np.ndarray | None:
    """The leaves that the loop over a schema finds; None for an unusual schema."""
    place = np.zeros(FILE_FIELDS, np.int64)
    find_schema(footer, place)
    leaves = np.zeros((len(footer), 4), np.int64)
    count = schema_leaves(footer, place[0], leaves) if place[1] else -1
    return None if count < 0 else leaves[:count].copy()


def footer_bytes(file: bytes) -> np.ndarray:
    """The bytes of a file's footer."""
    size = int.from_bytes(file[-8:-4], "little")
    return np.frombuffer(file, np.uint8)[-8 - size : -8].copy()


def tables_of(file: bytes) -> dict[str, Any] | None:
    """The footer by the spec's tables; None where they refuse it."""
    try:
        return footer_of(file)
    except (AssertionError, IndexError):
        return None


def verdict(footer: dict[str, Any], leaves: list[list[int]]) -> tuple[int, int, int]:
    """Return the error of the first damaged chunk by the tables, and its group and column."""
    for number, group in enumerate(footer["row_groups"]):
        for column, (chunk, leaf) in enumerate(zip(group["columns"], leaves, strict=False)):
            known = chunk.get("meta_data", {})
            bounds = [
                len(known.get("statistics", {}).get(name, b""))
                for name in ("max", "min", "max_value", "min_value")
                if name in known.get("statistics", {})
            ]
            sizes = known.get("size_statistics", {})
            counts = [
                len(sizes.get(f"{name}_level_histogram", ()))
                for name in ("repetition", "definition")
            ]
            wrong = {
                TYPE: known.get("type", leaf[0]) != leaf[0],
                BOUND: leaf[1] >= 0 and any(each != leaf[1] for each in bounds),
                HISTOGRAM: any(each not in {0, leaf[2 + at] + 1} for at, each in enumerate(counts)),
                TEXT_SIZE: "unencoded_byte_array_data_bytes" in sizes and leaf[0] != BYTE_ARRAY,
            }
            code = next((code for code, is_wrong in wrong.items() if is_wrong), 0)
            if code and not chunk.keys() & {"crypto_metadata", "encrypted_column_metadata"}:
                return code, number, column
    return 0, 0, 0


def unknown_codecs(footer: dict[str, Any], leaves: list[list[int]]) -> list[int]:
    """Return for each leaf the last codec that cannot be read; 0 for none."""
    found, known = [0] * len(leaves), numbers(CODECS, *CODECS_READ)
    for group in footer["row_groups"]:
        for column, (chunk, _) in enumerate(zip(group["columns"], leaves, strict=False)):
            codec = chunk.get("meta_data", {}).get("codec", 0)
            is_open = not chunk.keys() & {"crypto_metadata", "encrypted_column_metadata"}
            if codec not in known and is_open:
                found[column] = codec
    return found


def test_chunks_of_damaged_footers_are_judged_as_the_tables_judge_them() -> None:
    """The loop finds the same errors and codecs in a damaged footer as the tables do."""
    wanted = [[INT64, 8, 0, 1], [INT64, 8, 1, 3]]
    leaves = np.array(wanted, np.int64)
    judged, odd = Counter[int](), 0
    for file in DAMAGED:
        encrypted, codecs = np.zeros(len(leaves), np.uint8), np.zeros(len(leaves), np.int64)
        found = check_chunks(footer_bytes(file), leaves, encrypted, codecs)
        footer = tables_of(file)
        if footer is not None:
            assert found == verdict(footer, wanted)
            assert found[0] or codecs.tolist() == unknown_codecs(footer, wanted)
            judged[found[0]] += 1
            odd += bool(codecs.any())
    assert {0, TYPE, BOUND, HISTOGRAM} <= judged.keys()
    assert judged.total() > 2000
    assert odd > 10


def test_narrow_footers_of_damaged_ones_are_what_the_tables_read() -> None:
    """A narrow footer of a damaged one has the rows, chunks and orders that the tables read."""
    both = 0
    for file in DAMAGED[::3]:
        data, footer = footer_bytes(file), tables_of(file)
        leaves = leaves_of(data)
        if leaves is None:
            continue
        parts = found_parts(data, leaves)
        if parts is None or footer is None:
            continue
        both += 1
        assert described(data, parts) == summary(footer)
        out = np.zeros(2 * len(file), np.uint8)
        place, groups, chunks, orders = parts
        schema, none = data[place[0] : place[1]], data[:0].copy()
        numbers = np.arange(len(leaves))
        size = put_footer(data, place, groups, chunks, orders, numbers, schema.copy(), none, out)
        made = footer_of(out[:size].tobytes())
        names = {"columns", "total_byte_size", "num_rows"}
        kept = [{name: group[name] for name in names} for group in footer["row_groups"]]
        assert made == footer | {"row_groups": kept}
    assert both > 100


def found_parts(data: np.ndarray, leaves: np.ndarray) -> list[np.ndarray] | None:
    """What the loop for narrow footers finds: the file, its groups, chunks and orders."""
    place = np.zeros(FOOTER_FIELDS, np.int64)
    groups = np.zeros((9, NARROW_GROUP_FIELDS), np.int64)
    chunks = np.zeros((9 * max(len(leaves), 1), 2), np.int64)
    orders = np.zeros((len(leaves), 2), np.int64)
    if not find_chunks(data, leaves, place, groups, chunks, orders):
        return None
    return [place, groups[: place[5]], chunks[: place[5] * len(leaves)], orders]


def described(data: np.ndarray, parts: list[np.ndarray]) -> list[Any]:
    """The parts of a narrow footer, with structs read by the tables of the spec."""
    place, groups, chunks, orders = parts
    raw = data.tobytes()
    columns = []
    for begin, end in chunks.tolist():
        column, after = struct_at(raw, begin, "ColumnChunk")
        assert after == end
        columns.append(column)
    found = [struct_at(raw, begin, "ColumnOrder") for begin, _ in orders.tolist() if begin]
    assert [end for _, end in found] == [end for _, end in orders.tolist() if end]
    created = raw[place[7] : place[8]]
    return [
        *place[[4, 5, 6]].tolist(),
        created,
        groups.tolist(),
        columns,
        [one for one, _ in found],
    ]


def summary(footer: dict[str, Any]) -> list[Any]:
    """What a footer that the tables read says, in the form of `described`."""
    groups, columns = [], []
    for group in footer["row_groups"]:
        first = group["columns"][0]["meta_data"]
        page = first.get("dictionary_page_offset") or first["data_page_offset"]
        groups.append([group["num_rows"], group["total_byte_size"], page])
        columns += group["columns"]
    created, orders = footer.get("created_by", b""), footer.get("column_orders", [])
    head = [footer["num_rows"], len(groups), footer["version"], created]
    return [*head, groups, columns, orders]


END = 8
"""Bytes of the length and the magic after a footer."""

STRUCT_CODECS = ("none", "snappy", "gzip", "zstd")


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
        compression=draw(st.sampled_from(STRUCT_CODECS)),
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
