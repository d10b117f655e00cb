"""Tables are written in files of ORC and Avro as they are in Parquet."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.orc as po
import pytest
from tests.support.rows_of_all_types import COLUMNS, content, expected, rows

from byteloom.errors import ArgumentError, FormatError, Unsupported
from byteloom.iceberg import Table, create_table
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.layout import OrcLayout

VERSIONS = (1, 2, 3)
FORMATS = ("orc", "avro")
CODECS = [("orc", each) for each in ("zlib", "zstd", "snappy", "none")]
CODECS += [("avro", each) for each in ("gzip", "zstd", "snappy", "uncompressed")]


def made(folder: Path, form: str, **more: Any) -> Table:
    """Return a new table in a folder, whose files have a format."""
    properties = {"write.format.default": form, **more.pop("properties", {})}
    return create_table(folder, COLUMNS, properties=properties, **more)


def read(path: str) -> tuple[Any, list[Any]]:
    """Return the schema and the records of a file, as a library of Avro has them."""
    with Path(path).open("rb") as file:
        reader = fastavro.reader(file)
        return reader.writer_schema, list(reader)


@pytest.mark.parametrize(("form", "codec"), CODECS)
@pytest.mark.parametrize("version", VERSIONS)
def test_all_types_come_back(tmp_path: Path, version: int, form: str, codec: str) -> None:
    """All types come back, whatever the codec, and entries have the metrics of all columns."""
    table = made(
        tmp_path / "t",
        form,
        partition_by=["day(at)", "bucket(2, key)"],
        sort_by=["id desc"],
        format_version=version,
        properties={f"write.{form}.compression-codec": codec},
    ).append(rows(0, 60))
    assert content(table) == expected(rows(0, 60))
    found = table.metadata_table("files").to_pylist()
    assert {each["file_format"] for each in found} == {form.upper()}
    assert all(each["file_path"].endswith(f".{form}") for each in found)
    assert sum(dict(each["value_counts"])[1] for each in found) == 60
    assert table.verify() == []


@pytest.mark.parametrize("form", [*FORMATS, "parquet"])
def test_batches_that_are_parts_of_others_come_back(tmp_path: Path, form: str) -> None:
    """Slices of larger tables, with nulls in structs, are written as they are."""
    table = made(tmp_path / "t", form).append(rows(0, 100).to_reader(max_chunksize=7))
    table = table.append(rows(90, 170).slice(10))
    assert content(table) == expected(rows(0, 170))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("version", VERSIONS)
def test_rows_of_such_files_are_changed(tmp_path: Path, version: int, mode: str, form: str) -> None:
    """Rows are deleted, updated and replaced, and all new files have the table's format."""
    if version == 1 and mode == "merge-on-read":
        return
    modes = {f"write.{verb}.mode": mode for verb in ("delete", "update", "merge")}
    table = made(tmp_path / "t", form, format_version=version, properties=modes)
    table = table.append(rows(0, 30)).delete("id < 5")
    table = table.update({"city": "new"}, "id = 7").upsert(rows(28, 33), on="id")
    if version > 1:
        table = table.delete_keys(pa.table({"id": [10, 11]}))
    ids = table.scan().to_table()["id"].to_pylist()
    assert sorted(ids) == [each for each in range(5, 33) if version == 1 or each not in {10, 11}]
    assert table.scan("city = 'new'").to_table()["id"].to_pylist() == [7]
    found = table.metadata_table("files")["file_format"].to_pylist()
    assert set(found) - {"PUFFIN"} == {form.upper()}
    assert ("PUFFIN" in found) == (version == 3 and mode == "merge-on-read")
    assert table.verify() == []


@pytest.mark.parametrize("form", [*FORMATS, "parquet"])
def test_delete_files_may_have_another_format(tmp_path: Path, form: str) -> None:
    """Files of positions and of keys have the format that the table says for delete files."""
    properties = {"write.delete.format.default": form, "write.delete.mode": "merge-on-read"}
    table = made(tmp_path / "t", "parquet", format_version=2, properties=properties)
    table = table.append(rows(0, 20)).delete("id = 3").delete_keys(pa.table({"id": [4]}))
    found = table.metadata_table("delete_files").to_pylist()
    assert [each["file_format"] for each in found] == [form.upper()] * 2
    assert all(each["file_path"].endswith(f"-deletes.{form}") for each in found)
    assert table.scan().count() == 18
    assert table.verify() == []


def test_delete_files_have_their_own_codec(tmp_path: Path) -> None:
    """A property of delete files comes before that of data files."""
    properties = {
        "write.delete.avro.compression-codec": "uncompressed",
        "write.avro.compression-codec": "zstd",
    }
    table = made(tmp_path / "t", "avro", properties=properties)
    table = table.append(rows(0, 20)).delete_keys(pa.table({"id": [4]}))
    codecs = {}
    for each in table.metadata_table("files").to_pylist():
        with Path(each["file_path"]).open("rb") as file:
            codecs[each["content"]] = fastavro.reader(file).codec
    assert codecs == {0: "zstandard", 2: "null"}


def test_one_append_may_have_another_format(tmp_path: Path) -> None:
    """Files of three formats are one table; an unknown format is refused."""
    table = create_table(tmp_path / "t", COLUMNS).append(rows(0, 5))
    for number, form in enumerate(FORMATS, 1):
        table = table.append(rows(5 * number, 5 * number + 5), file_format=form)
    assert content(table) == expected(rows(0, 15))
    found = table.metadata_table("files")["file_format"].to_pylist()
    assert sorted(found) == ["AVRO", "ORC", "PARQUET"]
    with pytest.raises(
        ArgumentError, match="file_format: found 'csv', wanted parquet or orc or av"
    ):
        table.append(rows(9, 10), file_format="csv")


@pytest.mark.parametrize("form", FORMATS)
def test_files_are_left_out_by_their_metrics(tmp_path: Path, form: str) -> None:
    """A filter leaves out the files whose bounds exclude it."""
    table = made(tmp_path / "t", form).append(rows(0, 10)).append(rows(10, 20))
    plan = table.scan("id = 12").plan()
    assert plan.files.num_rows == 1


def test_orc_columns_have_ids(tmp_path: Path) -> None:
    """Types of ORC have the attributes of their fields."""
    table = made(tmp_path / "t", "orc").append(rows(0, 5))
    (path,) = table.metadata_table("files")["file_path"].to_pylist()
    stored = po.ORCFile(path).schema.field("id").metadata
    assert stored == {b"iceberg.id": b"1", b"iceberg.required": b"false"}


def test_orc_entries_have_sizes_and_stripes(tmp_path: Path) -> None:
    """Sizes are those of streams of data, outside of lists and maps; offsets are of stripes."""
    columns = pa.schema(
        {"n": pa.int64(), "tags": pa.list_(pa.int64()), "s": COLUMNS.field("point").type}
    )
    table = create_table(
        tmp_path / "t", columns, properties={"write.orc.stripe-size-bytes": "65536"}
    )
    numbers = np.frombuffer(os.urandom(1_600_000), np.int64)
    given = pa.table({"n": numbers, "tags": pa.nulls(200_000, columns.field("tags").type)})
    table = table.append(given, file_format="orc")
    (found,) = table.metadata_table("files").to_pylist()
    with closing(table.relocation.open(found["file_path"])) as source:
        layout = OrcLayout(source, DEFAULT_LIMITS)
        streams = [
            each for stripe in layout.stripes for each in layout.streams(stripe).footer.streams
        ]
    assert found["split_offsets"] == [each.offset for each in layout.stripes]
    assert len(layout.stripes) > 1
    sizes = dict(found["column_sizes"])
    stored = sum(each.length for each in streams if each.column == 1 and each.kind != 6)
    assert sizes[1] == stored
    names = {table.schema.name(each) for each in sizes}
    assert names == {"n", "tags", "s", "s.x", "s.y"}
    again = create_table(tmp_path / "u", columns).add_files([found["file_path"]])
    (other,) = again.metadata_table("files").to_pylist()
    assert other["column_sizes"] == found["column_sizes"]
    assert other["split_offsets"] == found["split_offsets"]


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_moments_that_orc_would_change_are_refused(tmp_path: Path, unit: str) -> None:
    """A fraction of a second before 1970 is refused, at any depth; a whole second is written."""
    columns = pa.schema({"s": pa.struct({"at": pa.list_(pa.timestamp(unit))})})
    second = {"us": 1_000_000, "ns": 1_000_000_000}[unit]
    table = create_table(tmp_path / "t", columns, format_version=3)
    for number, is_written in ((1, True), (-5 * second, True), (-second - 1, False)):
        held = pa.array([number], pa.int64()).cast(pa.timestamp(unit))
        lists = pa.ListArray.from_arrays([0, 1], held)
        given = pa.table({"s": pa.StructArray.from_arrays([lists], ["at"])})
        if is_written:
            table = table.append(given, file_format="orc")
        else:
            with pytest.raises(Unsupported, match="column s: found a moment before 1970 with a fr"):
                table.append(given, file_format="orc")
    assert table.scan().count() == 2


@pytest.mark.parametrize("form", [*FORMATS, "parquet"])
def test_required_fields_of_null_structs(tmp_path: Path, form: str) -> None:
    """A struct that is null may have a required field, and rows be sorted and moved."""
    of = pa.struct([pa.field("x", pa.int64(), nullable=False)])
    columns = pa.schema({"id": pa.int64(), "s": of})
    properties = {"write.format.default": form}
    table = create_table(tmp_path / "t", columns, sort_by=["id"], properties=properties)
    values = [{"x": 1}, None, {"x": 3}, None]
    given = pa.table({"id": [4, 3, 2, 1], "s": pa.array(values, of)}, schema=columns)
    table = table.append(given).delete("id = 4").update({"id": 5}, "id = 1")
    table = table.append(pa.table({"id": [9]}))
    found = table.scan().to_table().sort_by("id").to_pydict()
    assert found == {"id": [2, 3, 5, 9], "s": [{"x": 3}, None, None, None]}
    assert table.verify() == []


def test_avro_maps_may_have_any_keys(tmp_path: Path) -> None:
    """A map with keys that are not text is a list of pairs, as the spec has it."""
    of = pa.map_(pa.int32(), pa.struct({"x": pa.float64()}))
    values = [[(1, {"x": 0.5}), (2, None)], None, []]
    table = create_table(tmp_path / "t", pa.schema({"m": of}))
    table = table.append(pa.table({"m": pa.array(values, of)}), file_format="avro")
    assert table.scan().to_table()["m"].to_pylist() == values
    (path,) = table.metadata_table("files")["file_path"].to_pylist()
    stored = [each["m"] for each in read(path)[1]]
    assert stored[0] == [{"key": 1, "value": {"x": 0.5}}, {"key": 2, "value": None}]
    assert stored[1:] == [None, []]


def test_avro_reads_in_another_library(tmp_path: Path) -> None:
    """A library of Avro finds the rows, and a field id for each field."""
    plain = COLUMNS.remove(COLUMNS.get_field_index("key"))
    table = create_table(tmp_path / "t", plain)
    given = rows(0, 50).select(plain.names)
    table = table.append(given, file_format="avro")
    (path,) = table.metadata_table("files")["file_path"].to_pylist()
    schema, found = read(path)
    fields = schema["fields"]
    assert [each["field-id"] for each in fields] == list(range(1, len(plain) + 1))
    for ours, theirs in zip(given.to_pylist(), found, strict=True):
        theirs["counts"] = None if theirs["counts"] is None else list(theirs["counts"].items())
        # NaN is equal to nothing, and fastavro gives this column's moments a zone.
        assert repr(theirs["ratio"]) == repr(ours["ratio"])
        same = set(plain.names) - {"ratio", "at"}
        assert {each: theirs[each] for each in same} == {each: ours[each] for each in same}


@pytest.mark.parametrize(
    ("codec", "level", "wanted"),
    [("gzip", "10", "0 to 9 for gzip"), ("zstd", "0", "1 to 22 for zstd")],
)
def test_levels_that_a_codec_lacks_are_refused(
    tmp_path: Path, codec: str, level: str, wanted: str
) -> None:
    """The error names the property."""
    properties = {"write.avro.compression-codec": codec, "write.avro.compression-level": level}
    table = made(tmp_path / "t", "avro", properties=properties)
    with pytest.raises(FormatError, match=f"compression-level: found {level}, wanted {wanted}"):
        table.append(rows(0, 1))


@pytest.mark.parametrize("level", ["1", "9"])
def test_levels_of_avro_are_honoured(tmp_path: Path, level: str) -> None:
    """A higher level makes no larger file."""
    table = made(tmp_path / "t", "avro", properties={"write.avro.compression-level": level})
    table = table.append(rows(0, 100))
    assert content(table) == expected(rows(0, 100))


def test_avro_files_end_at_their_target_size(tmp_path: Path) -> None:
    """A file that has its target size ends, and the next one begins."""
    properties = {
        "write.target-file-size-bytes": "20000",
        "write.parquet.row-group-size-bytes": "40000",
    }
    columns = pa.schema({"data": pa.binary()})
    table = create_table(tmp_path / "t", columns, properties=properties)
    noise = pa.table({"data": pa.array([os.urandom(100) for _ in range(3000)])})
    table = table.append(noise, file_format="avro")
    sizes = table.metadata_table("files")["file_size_in_bytes"].to_pylist()
    assert len(sizes) > 2
    assert max(sizes) < 200_000
    assert table.scan().count() == 3000


def test_names_that_are_equal_in_avro_are_refused(tmp_path: Path) -> None:
    """Two columns whose names are equal after escaping are an error that names both."""
    columns = pa.schema({"a.b": pa.int64(), "a_x2Eb": pa.int64()})
    table = create_table(tmp_path / "t", columns)
    with pytest.raises(FormatError, match=r"a_x2Eb for 'a\.b' and 'a_x2Eb'"):
        table.append(pa.table({"a.b": [1], "a_x2Eb": [2]}), file_format="avro")


NOTHING = {
    "list": (pa.list_(pa.null()), [None]),
    "map": (pa.map_(pa.string(), pa.null()), [("a", None)]),
}


@pytest.mark.parametrize("form", [*FORMATS, "parquet"])
@pytest.mark.parametrize("kind", NOTHING)
def test_items_without_a_type_are_refused(tmp_path: Path, kind: str, form: str) -> None:
    """Lists and maps of what is always null are refused: no format stores their items."""
    of, value = NOTHING[kind]
    table = create_table(tmp_path / "t", pa.schema({"id": pa.int64(), "no": of}), format_version=3)
    given = pa.table({"id": [1], "no": pa.array([value], of)})
    with pytest.raises(Unsupported, match=f"column no: found {kind}.*, wanted items of anothe"):
        table.append(given, file_format=form)


@pytest.mark.parametrize("form", [*FORMATS, "parquet"])
def test_columns_without_a_type_are_null(tmp_path: Path, form: str) -> None:
    """What has no type is null in each row, in structs too, and files need not have it."""
    of = pa.struct({"a": pa.int32(), "no": pa.null()})
    columns = pa.schema({"id": pa.int64(), "no": pa.null(), "s": of})
    table = create_table(tmp_path / "t", columns, format_version=3)
    values = pa.array([{"a": 1, "no": None}, None], of)
    table = table.append(pa.table({"id": [1, 2], "s": values}), file_format=form)
    assert table.scan().to_table()["no"].to_pylist() == [None, None]
    assert table.scan().to_table()["s"].to_pylist() == values.to_pylist()
    assert table.verify() == []


@pytest.mark.parametrize("form", [*FORMATS, "parquet"])
def test_defaults_are_in_every_format(tmp_path: Path, form: str) -> None:
    """Older rows have a column's first default, and rows that lack it the one of now."""
    table = create_table(tmp_path / "t", pa.schema({"id": pa.int64()}), format_version=3)
    table = table.append(pa.table({"id": [1]}), file_format=form)
    table = table.evolve().add_column("city", "string", default="Oslo").commit()
    table = table.evolve().update_column("city", default="Rome").commit()
    table = table.append(pa.table({"id": [2]}), file_format=form)
    table = table.append(pa.table({"id": [3], "city": [None]}), file_format=form)
    found = table.scan().to_table().sort_by("id")["city"].to_pylist()
    assert found == ["Oslo", "Rome", None]
    assert table.scan("city = 'Rome'").to_table()["id"].to_pylist() == [2]
    assert table.verify() == []
