"""Tables are created in folders, and rows are appended to them."""

from __future__ import annotations

import json
from decimal import Decimal
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.rows_of_all_types import COLUMNS, content, expected, rows

from byteloom.errors import (
    AlreadyExists,
    ArgumentError,
    CommitConflict,
    FormatError,
    StorageError,
    Unsupported,
)
from byteloom.iceberg import create_table, open_table

VERSIONS = (1, 2, 3)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "partition_by",
    [
        [],
        ["day(at)", "city"],
        ["bucket(4, id)", "truncate(2, city)", "month(day)"],
        ["year(seen)", "flag", "price", "ratio"],
        ["hour(seen)", "truncate(10, small)", "bucket(3, key)", "code"],
    ],
)
def test_all_types_come_back(tmp_path: Path, version: int, partition_by: list[str]) -> None:
    """Rows of all types are those that were appended, and nothing is wrong with the table."""
    table = create_table(tmp_path / "t", COLUMNS, partition_by=partition_by, format_version=version)
    table = table.append(rows(0, 60)).append(rows(60, 100).to_reader(max_chunksize=7))
    assert content(table) == expected(rows(0, 100))
    assert content(open_table(tmp_path / "t")) == expected(rows(0, 100))
    assert table.verify() == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_summary_counts_what_java_counts(tmp_path: Path, version: int) -> None:
    """Summaries have the keys of Java's, and totals are those of the branch."""
    table = create_table(tmp_path / "t", COLUMNS, format_version=version)
    first = table.append(rows(0, 10))
    second = first.append(rows(10, 30))
    one, two = (each.current_snapshot for each in (first, second))
    assert one is not None
    assert two is not None
    size = int(one.summary["added-files-size"])
    assert one.summary == {
        "operation": "append",
        "added-data-files": "1",
        "added-records": "10",
        "added-files-size": str(size),
        "changed-partition-count": "1",
        "manifests-created": "1",
        "manifests-kept": "0",
        "manifests-replaced": "0",
        "total-data-files": "1",
        "total-delete-files": "0",
        "total-records": "10",
        "total-files-size": str(size),
        "total-position-deletes": "0",
        "total-equality-deletes": "0",
    }
    assert two.summary["total-records"] == "30"
    assert two.summary["manifests-kept"] == "1"
    assert two.summary["total-files-size"] == str(size + int(two.summary["added-files-size"]))
    assert two.parent_snapshot_id == one.snapshot_id
    assert second.metadata.document.last_sequence_number == (0 if version == 1 else 2)


def test_rows_of_version_3_are_numbered(tmp_path: Path) -> None:
    """Each snapshot gives its new rows the ids that follow those given before."""
    table = create_table(tmp_path / "t", COLUMNS, format_version=3)
    table = table.append(rows(0, 150)).append(rows(150, 157))
    numbers = [(each.first_row_id, each.added_rows) for each in table.snapshots]
    assert numbers == [(0, 150), (150, 7)]
    assert table.metadata.document.next_row_id == 157
    found = table.scan(columns=["id", "_row_id"]).to_table().to_pydict()
    assert sorted(found["_row_id"]) == list(range(157))
    assert all(each == number for each, number in zip(*found.values(), strict=True))


def test_partitions_are_listed_in_the_summary_up_to_a_limit(tmp_path: Path) -> None:
    """Paths of partitions are encoded as in URLs, and left out beyond the limit."""
    limit = {"write.summary.partition-limit": "2"}
    columns = pa.schema({"d": pa.string()})
    table = create_table(tmp_path / "t", columns, partition_by=["d"], properties=limit)
    table = table.append(pa.table({"d": ["a b"] * 20}))
    snapshot = table.current_snapshot
    assert snapshot is not None
    size = snapshot.summary["added-files-size"]
    found = snapshot.summary["partitions.d=a+b"]
    assert found == f"added-data-files=1,added-files-size={size},added-records=20"
    assert snapshot.summary["partition-summaries-included"] == "true"
    three = table.append(pa.table({"d": ["x", "y", "z"]})).current_snapshot
    assert three is not None
    assert not [each for each in three.summary if each.startswith("partition")]
    assert three.summary["changed-partition-count"] == "3"


def test_files_are_in_the_folders_of_their_partitions(tmp_path: Path) -> None:
    """The path of a file has the values of its partition as in URLs."""
    columns = pa.schema({"d": pa.string()})
    table = create_table(tmp_path / "t", columns, partition_by=["d"])
    table = table.append(pa.table({"d": ["a/b=c ü+", None]}))
    paths = table.metadata_table("files")["file_path"].to_pylist()
    folders = sorted(Path(each).parent.name for each in paths)
    assert folders == ["d=a%2Fb%3Dc+%C3%BC%2B", "d=null"]
    assert unquote_plus(folders[0]) == "d=a/b=c ü+"


@pytest.mark.parametrize(
    ("properties", "below"),
    [
        ({"write.data.path": "{}/elsewhere"}, "elsewhere/d=x/"),
        ({"write.object-storage.enabled": "true"}, "t/data/"),
    ],
)
def test_properties_place_data_files(
    tmp_path: Path, properties: dict[str, str], below: str
) -> None:
    """Data files are where the table's properties say."""
    given = {key: value.format(tmp_path) for key, value in properties.items()}
    columns = pa.schema({"d": pa.string()})
    table = create_table(tmp_path / "t", columns, partition_by=["d"], properties=given)
    table = table.append(pa.table({"d": ["x"]}))
    (path,) = table.metadata_table("files")["file_path"].to_pylist()
    assert path.startswith(f"{tmp_path}/{below}")
    if "write.object-storage.enabled" in given:
        hashed = path.removeprefix(f"{tmp_path}/{below}").split("/")
        assert [len(each) for each in hashed[:4]] == [4, 4, 4, 8]
        assert set("".join(hashed[:4])) <= {"0", "1"}
        assert hashed[4] == "d=x"


A = "a"


@pytest.mark.parametrize(
    ("value", "upper"),
    [
        (A * 15 + "ab", (A * 15 + "b").encode()),
        (A * 15 + "\U0010ffffz", (A * 14 + "b").encode()),
        ("\U0010ffff" * 17, None),
        (A * 15 + "\ud7ffz", (A * 15).encode() + bytes.fromhex("ee8080")),
        (A * 15 + "\uffffz", (A * 15).encode() + bytes.fromhex("f0908080")),
        (A * 15 + "\x7fz", (A * 15).encode() + bytes.fromhex("c280")),
        ("é" * 17, bytes.fromhex("c3a9") * 15 + bytes.fromhex("c3aa")),
        (A * 16, (A * 16).encode()),
        (bytes(17), bytes(15) + b"\x01"),
        (b"\xff" * 17, None),
        (bytes(14) + bytes.fromhex("05ff00"), bytes(14) + b"\x06"),
    ],
)
def test_upper_bounds_are_cut_and_raised(
    tmp_path: Path, value: str | bytes, upper: bytes | None
) -> None:
    """A cut upper bound is above all values that begin with it; one that cannot be is left out."""
    kind = pa.string() if isinstance(value, str) else pa.binary()
    table = create_table(tmp_path / "t", pa.schema({"v": kind}))
    table = table.append(pa.table({"v": pa.array([value], kind)}))
    (found,) = table.metadata_table("files").select(["lower_bounds", "upper_bounds"]).to_pylist()
    assert dict(found["upper_bounds"]).get(1) == upper
    lower = value.encode()[: len(value[:16].encode())] if isinstance(value, str) else value[:16]
    assert dict(found["lower_bounds"])[1] == lower
    assert table.scan("v is not null").count() == 1


@pytest.mark.parametrize(
    ("properties", "counted", "bounded"),
    [
        ({}, {1, 2, 3, 5}, {1, 2, 3, 5}),
        ({"write.metadata.metrics.default": "none"}, set(), set()),
        ({"write.metadata.metrics.default": "counts"}, {1, 2, 3, 5}, set()),
        ({"write.metadata.metrics.column.s.x": "none"}, {1, 2, 3}, {1, 2, 3}),
        (
            {"write.metadata.metrics.default": "none", "write.metadata.metrics.column.b": "full"},
            {2},
            {2},
        ),
    ],
)
def test_modes_say_which_metrics_columns_have(
    tmp_path: Path, properties: dict[str, str], counted: set[int], bounded: set[int]
) -> None:
    """Counts and bounds are those of the modes; what is in lists has neither."""
    kinds = {
        "a": pa.int64(),
        "b": pa.string(),
        "c": pa.float64(),
        "s": pa.struct({"x": pa.int32()}),
        "l": pa.list_(pa.int32()),
    }
    columns = pa.schema(kinds)
    table = create_table(tmp_path / "t", columns, properties=properties)
    ids = {name: table.schema.find(name).id for name in ("a", "b", "c", "s.x")}  # type: ignore[union-attr]
    marks = dict(zip([1, 2, 3, 5], ids.values(), strict=True))
    value = {"a": 1, "b": "z" * 30, "c": float("nan"), "s": {"x": 5}, "l": [1]}
    other = {"a": 2, "b": "y", "c": 0.5, "s": None, "l": None}
    table = table.append(pa.Table.from_pylist([value, other], schema=columns))
    (found,) = table.metadata_table("files").to_pylist()
    assert set(dict(found["value_counts"] or ())) == {marks[each] for each in counted}
    assert set(dict(found["lower_bounds"] or ())) == {marks[each] for each in bounded}
    if 3 in counted:
        assert dict(found["nan_value_counts"])[marks[3]] == 1
    if 5 in counted:
        assert dict(found["null_value_counts"])[marks[5]] == 1
        assert dict(found["value_counts"])[marks[5]] == 2
    assert table.verify() == []


@pytest.mark.parametrize(("number", "last"), [(100, 100), (101, 100)])
def test_only_the_first_hundred_columns_have_metrics(
    tmp_path: Path, number: int, last: int
) -> None:
    """A wide table without a default of its own has metrics of its first columns alone."""
    names = [f"c{each}" for each in range(1, number + 1)]
    table = create_table(tmp_path / "t", pa.schema({each: pa.int64() for each in names}))
    table = table.append(pa.table({each: [1] for each in names}))
    (found,) = table.metadata_table("files").to_pylist()
    assert sorted(dict(found["lower_bounds"])) == list(range(1, last + 1))


def test_files_of_a_sorted_table_are_sorted(tmp_path: Path) -> None:
    """Each file is in the table's order: nulls where they are wanted, and NaN above all numbers."""
    columns = pa.schema({"x": pa.float64(), "n": pa.int64()})
    order = ["x desc nulls last", "bucket(2, n)", "n"]
    table = create_table(tmp_path / "t", columns, sort_by=order)
    nan = float("nan")
    table = table.append(pa.table({"x": [1.0, None, nan, 2.0, 1.0], "n": [5, 1, 2, 3, 4]}))
    found = table.scan().to_table()
    assert str(found["x"].to_pylist()) == str([nan, 2.0, 1.0, 1.0, None])
    (file,) = table.metadata_table("files").to_pylist()
    assert file["sort_order_id"] == 1
    ascending = create_table(tmp_path / "u", columns, sort_by=["x"])
    ascending = ascending.append(pa.table({"x": [1.0, None, nan, 2.0], "n": [1, 2, 3, 4]}))
    assert str(ascending.scan().to_table()["x"].to_pylist()) == str([None, 1.0, 2.0, nan])


def test_files_end_at_their_target_size(tmp_path: Path) -> None:
    """A file that has its target size is followed by another one; row groups are where it says."""
    properties = {
        "write.target-file-size-bytes": "20000",
        "write.parquet.row-group-size-bytes": "8000",
        "write.parquet.compression-codec": "uncompressed",
    }
    table = create_table(tmp_path / "t", pa.schema({"x": pa.int64()}), properties=properties)
    table = table.append(pa.table({"x": range(10_000)}))
    files = table.metadata_table("files").to_pylist()
    assert len(files) > 3
    assert all(each["file_size_in_bytes"] < 60_000 for each in files)
    assert all(len(each["split_offsets"]) > 1 for each in files[:-1])
    assert sorted(table.scan().to_table()["x"].to_pylist()) == list(range(10_000))
    assert table.verify() == []


def test_many_partitions_in_any_order_make_one_file_each(tmp_path: Path) -> None:
    """Rows of 300 partitions that come in turn make 300 files, and none is lost."""
    properties = {"write.parquet.row-group-size-bytes": "16000"}
    columns = pa.schema({"k": pa.int64(), "x": pa.int64()})
    table = create_table(tmp_path / "t", columns, partition_by=["k"], properties=properties)
    table = table.append(pa.table({"k": [each % 300 for each in range(9000)], "x": range(9000)}))
    assert table.metadata_table("files").num_rows == 300
    assert sorted(table.scan().to_table()["x"].to_pylist()) == list(range(9000))


@pytest.mark.parametrize(
    ("given", "found", "wanted"),
    [
        (pa.table({"p": pa.nulls(1)}), "column id: found no such column", "required"),
        (pa.table({"id": [1, None, 3]}), "column id: found null in row 1", "a value in each row"),
        (pa.table({"id": [1], "idd": [2]}), "column idd: found not in the table", "mean id?"),
        (pa.table({"id": ["1"]}), "column id: found values of type string", "wanted long"),
        (pa.table({"id": [1.0]}), "column id: found values of type double", "wanted long"),
        (
            pa.table({"id": [1], "p": pa.array([Decimal("1.234")])}),
            "column p: found values of type decimal(4, 3)",
            "wanted decimal(9, 2)",
        ),
        (
            pa.table({"id": [1], "s": pa.array([{"x": None}], pa.struct({"x": pa.int32()}))}),
            "column s.x: found null",
            "required",
        ),
        (
            pa.table({"id": [1], "t": pa.array([0], pa.timestamp("us"))}),
            "column t: found values of type timestamp",
            "wanted timestamptz",
        ),
        (
            pa.table({"id": [1], "t": pa.array([0], pa.timestamp("ns", "UTC"))}),
            "column t: found values of type timestamptz_ns",
            "wanted timestamptz",
        ),
        (pa.table({"id": pa.array([1], pa.uint64())}), "column id: found Arrow's uint64", "wanted"),
    ],
)
def test_rows_that_break_the_schema_are_refused(
    tmp_path: Path, given: pa.Table, found: str, wanted: str
) -> None:
    """The error names the column and the row, and nothing of the attempt stays."""
    inner = pa.struct([pa.field("x", pa.int32(), nullable=False)])
    columns = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("p", pa.decimal128(9, 2)),
            pa.field("s", inner),
            pa.field("t", pa.timestamp("us", "UTC")),
        ]
    )
    table = create_table(tmp_path / "t", columns)
    with pytest.raises(FormatError) as caught:
        table.append(given)
    assert found in str(caught.value)
    assert wanted in str(caught.value)
    assert not list((tmp_path / "t").rglob("*.parquet*"))
    assert open_table(tmp_path / "t").current_snapshot is None


def test_the_row_of_an_error_counts_over_all_batches(tmp_path: Path) -> None:
    """A null in the second batch has its number among all rows, and finished files are removed."""
    columns = pa.schema([pa.field("id", pa.int64(), nullable=False)])
    properties = {
        "write.target-file-size-bytes": "1",
        "write.parquet.row-group-size-bytes": "8",
    }
    table = create_table(tmp_path / "t", columns, properties=properties)
    with pytest.raises(FormatError, match="null in row 3"):
        table.append([pa.record_batch({"id": [1, 2]}), pa.record_batch({"id": [3, None]})])
    assert not [each for each in (tmp_path / "t").rglob("*") if "parquet" in each.name]


@pytest.mark.parametrize(
    ("stored", "given"),
    [
        (pa.int64(), pa.array([1, None], pa.int8())),
        (pa.int64(), pa.array([1, None], pa.uint32())),
        (pa.float64(), pa.array([1.5, None], pa.float32())),
        (pa.decimal128(20, 2), pa.array([Decimal("1.25"), None], pa.decimal128(5, 2))),
        (pa.string(), pa.array(["a", None], pa.large_string())),
        (pa.string(), pa.array(["a", None], pa.string_view())),
        (pa.string(), pa.array(["a", None]).dictionary_encode()),
        (pa.timestamp("us"), pa.array([1, None], pa.timestamp("s"))),
        (pa.time64("us"), pa.array([1, None], pa.time32("ms"))),
        (pa.list_(pa.int64()), pa.array([[1, 2], None], pa.list_(pa.int32()))),
        (pa.list_(pa.int64()), pa.array([[1, 2], None], pa.list_(pa.int32(), 2))),
        (pa.uuid(), pa.array([b"0" * 16, None], pa.binary(16))),
        (pa.int64(), pa.nulls(2)),
    ],
)
def test_values_are_cast_where_iceberg_promotes(
    tmp_path: Path, stored: pa.DataType, given: pa.Array
) -> None:
    """Narrower types, and other layouts of one type, are taken; the values are the same."""
    table = create_table(tmp_path / "t", pa.schema({"v": stored})).append(pa.table({"v": given}))
    found = table.scan().to_table()["v"].to_pylist()
    held = pa.array(given.to_pylist(), given.type if stored == pa.uuid() else stored)
    wanted = held.to_pylist()
    assert [each.bytes if isinstance(each, UUID) else each for each in found] == wanted


def test_fields_of_structs_are_found_by_name(tmp_path: Path) -> None:
    """Fields may come in another order, and optional ones may be missing."""
    stored = pa.struct({"a": pa.int64(), "b": pa.string(), "c": pa.int32()})
    table = create_table(tmp_path / "t", pa.schema({"s": pa.list_(stored)}))
    given = pa.array(
        [[{"b": "x", "a": 1}], None, []], pa.list_(pa.struct({"b": pa.string(), "a": pa.int32()}))
    )
    table = table.append(pa.table({"s": given}))
    assert table.scan().to_table()["s"].to_pylist() == [[{"a": 1, "b": "x", "c": None}], None, []]


def test_properties_of_columns_are_honoured(tmp_path: Path) -> None:
    """Bloom filters, statistics, dictionaries and pages are as the table asks, nested ones too."""
    of = "write.parquet"
    properties = {
        f"{of}.bloom-filter-enabled.column.city": "true",
        f"{of}.bloom-filter-fpp.column.city": "0.05",
        f"{of}.bloom-filter-ndv.column.city": "10000000",
        f"{of}.bloom-filter-max-bytes": "5000",
        f"{of}.stats-enabled.column.id": "false",
        f"{of}.dict-encoding-enabled.column.tags.element": "false",
        f"{of}.stats-enabled.column.dropped": "false",
        f"{of}.page-version": "v2",
        f"{of}.page-row-limit": "10",
    }
    table = create_table(tmp_path / "t", COLUMNS, properties=properties).append(rows(0, 50))
    (path,) = (tmp_path / "t").rglob("*.parquet")
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(each) for each in range(group.num_columns)]
    by_path = {each.path_in_schema: each for each in columns}
    assert not by_path["id"].is_stats_set
    assert by_path["small"].is_stats_set
    assert not by_path["tags.list.element"].has_dictionary_page
    assert by_path["counts.key_value.key"].has_dictionary_page
    found = {name: each.bloom_filter_length for name, each in by_path.items()}
    assert 0 < (found.pop("city") or 0) <= 5000
    assert set(found.values()) == {None}
    assert content(table) == expected(rows(0, 50))
    assert table.verify() == []


def test_dictionaries_are_of_columns_whose_values_come_again(tmp_path: Path) -> None:
    """Numbers that never repeat are stored as they are, text that does is not; rows are kept."""
    count = 10_000
    held = pa.table(
        {
            "id": pa.array(range(count)),
            "city": pa.array([None if each % 7 == 0 else f"c{each % 30}" for each in range(count)]),
            "s": pa.array([{"n": each % 2} for each in range(count)]),
        }
    )
    table = create_table(tmp_path / "t", held.schema, partition_by=["truncate(5000, id)"])
    table = table.append(held)
    assert table.scan().to_table().sort_by("id").to_pylist() == held.to_pylist()
    for each in (tmp_path / "t").rglob("*.parquet"):
        group = pq.read_metadata(each).row_group(0)
        coded = {group.column(at).path_in_schema: group.column(at) for at in range(3)}
        found = {name: each.has_dictionary_page for name, each in coded.items()}
        assert found == {"id": False, "city": True, "s.n": True}
    assert table.verify() == []


def test_a_branch_begins_at_the_current_snapshot(tmp_path: Path) -> None:
    """Rows of a branch are those of main and its own; main stays."""
    table = create_table(tmp_path / "t", COLUMNS).append(rows(0, 3))
    table = table.append(rows(3, 5), branch="audit").append(rows(5, 6), branch="audit")
    assert content(table) == expected(rows(0, 3))
    assert content(table, "audit") == expected(rows(0, 6))
    assert len(table.metadata.document.snapshot_log) == 1
    assert table.verify() == []


def test_an_old_state_appends_to_the_newest(tmp_path: Path) -> None:
    """A table opened before another commit keeps both; it stays as it was itself."""
    first = create_table(tmp_path / "t", COLUMNS)
    second = first.append(rows(0, 2))
    third = first.append(rows(2, 4))
    assert content(third) == expected(rows(0, 4))
    assert content(second) == expected(rows(0, 2))
    assert first.current_snapshot is None
    lists = list((tmp_path / "t" / "metadata").glob("snap-*-2-*.avro"))
    assert len(lists) == 1


def test_a_table_may_allow_no_second_attempt(tmp_path: Path) -> None:
    """Without retries the writer that is second fails, and its files are gone."""
    first = create_table(tmp_path / "t", COLUMNS, properties={"commit.retry.num-retries": "0"})
    first.append(rows(0, 2))
    before = {each for each in (tmp_path / "t").rglob("*") if each.is_file()}
    with pytest.raises(CommitConflict, match="another writer"):
        first.append(rows(2, 4))
    assert {each for each in (tmp_path / "t").rglob("*") if each.is_file()} == before
    assert content(open_table(tmp_path / "t")) == expected(rows(0, 2))


def _writer(place: str, number: int) -> None:
    """Append ten rows, one by one."""
    table = open_table(place)
    for each in range(10):
        table = table.append(pa.table({"id": [number * 10 + each]}))


def test_writers_in_several_processes_lose_nothing(tmp_path: Path) -> None:
    """Every row of every commit is there, once."""
    properties = {"commit.retry.num-retries": "100", "commit.retry.min-wait-ms": "1"}
    create_table(tmp_path / "t", pa.schema({"id": pa.int64()}), properties=properties)
    context = get_context("fork")
    writers = [
        context.Process(target=_writer, args=(str(tmp_path / "t"), each)) for each in range(4)
    ]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert [each.exitcode for each in writers] == [0] * 4
    table = open_table(tmp_path / "t")
    assert sorted(table.scan().to_table()["id"].to_pylist()) == list(range(40))
    assert len(table.snapshots) == 40
    assert table.verify() == []


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_metadata_files_are_named_by_version(tmp_path: Path, codec: str) -> None:
    """Each commit is the file of the next version, and the hint names it."""
    properties = {"write.metadata.compression-codec": codec}
    table = create_table(tmp_path / "t", COLUMNS, properties=properties).append(rows(0, 1))
    ending = ".gz" if codec == "gzip" else ""
    folder = tmp_path / "t" / "metadata"
    assert table.metadata_location == f"{folder}/v2{ending}.metadata.json"
    assert (folder / "version-hint.text").read_text() == "2"
    (folder / "version-hint.text").unlink()
    assert content(open_table(tmp_path / "t")) == expected(rows(0, 1))


def test_old_metadata_files_are_forgotten(tmp_path: Path) -> None:
    """The log has the newest files, and the others are deleted if the table asks for that."""
    properties = {
        "write.metadata.previous-versions-max": "2",
        "write.metadata.delete-after-commit.enabled": "true",
    }
    table = create_table(tmp_path / "t", COLUMNS, properties=properties)
    for each in range(5):
        table = table.append(rows(each, each + 1))
    names = [Path(each.metadata_file).name for each in table.metadata.document.metadata_log]
    assert names == ["v4.metadata.json", "v5.metadata.json"]
    found = sorted(each.name for each in (tmp_path / "t" / "metadata").glob("v*.json"))
    assert found == ["v4.metadata.json", "v5.metadata.json", "v6.metadata.json"]


def test_times_never_go_back(tmp_path: Path) -> None:
    """A table written by a clock that was ahead is committed to all the same."""
    table = create_table(tmp_path / "t", COLUMNS).append(rows(0, 1))
    place = Path(table.metadata_location)
    document = json.loads(place.read_text())
    ahead = document["last-updated-ms"] + 10_000_000
    document["last-updated-ms"] = document["snapshots"][0]["timestamp-ms"] = ahead
    document["snapshot-log"][0]["timestamp-ms"] = ahead
    place.write_text(json.dumps(document))
    table = open_table(tmp_path / "t").append(rows(1, 2))
    assert [each.timestamp_ms for each in table.snapshots] == [ahead, ahead]
    assert table.verify() == []


def test_a_table_is_not_created_twice(tmp_path: Path) -> None:
    """The second of two writers gets an error, and the table stays."""
    create_table(tmp_path / "t", COLUMNS).append(rows(0, 1))
    with pytest.raises(AlreadyExists, match="an Iceberg table already"):
        create_table(tmp_path / "t", COLUMNS)
    assert content(open_table(tmp_path / "t")) == expected(rows(0, 1))


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"format_version": 4}, "format_version: found 4, wanted 1, 2 or 3"),
        ({"partition_by": ["day(id)"]}, "id: found day of long"),
        ({"partition_by": ["nothing"]}, "nothing: found no such column"),
        ({"partition_by": ["f(g(id))"]}, "partition_by: found 'f(g(id))'"),
        ({"sort_by": ["nothing desc"]}, "nothing: found no such column"),
        ({"properties": {"uuid": "x"}}, "properties.uuid: found a reserved key"),
        ({"properties": {"a": 1}}, "properties.a: found 1, wanted text"),
        (
            {"properties": {"write.metadata.compression-codec": "zip"}},
            "properties.write.metadata.compression-codec: found 'zip', wanted none or gzip",
        ),
        (
            {"properties": {"write.metadata.path": "/x"}},
            "properties.write.metadata.path: found /x, wanted no such property",
        ),
        (
            {"properties": {"encryption.key-id": "k"}},
            "properties.encryption.key-id: found a key, wanted a table without it",
        ),
    ],
)
def test_a_table_that_cannot_be_is_refused(
    tmp_path: Path, options: dict[str, Any], found: str
) -> None:
    """The error names the argument and what it may be, and no table is there."""
    with pytest.raises(FormatError) as caught:
        create_table(tmp_path / "t", COLUMNS, **options)
    assert found in str(caught.value)
    assert not list((tmp_path / "t").rglob("*.json"))


def test_types_of_version_3_need_it(tmp_path: Path) -> None:
    """Nanoseconds are refused in version 2, and come back in version 3."""
    columns = pa.schema({"at": pa.timestamp("ns"), "seen": pa.timestamp("ns", "UTC")})
    with pytest.raises(FormatError, match="at: found type timestamp_ns"):
        create_table(tmp_path / "two", columns)
    held = pa.array([1, None], pa.timestamp("ns"))
    given = pa.table({"at": held, "seen": held.cast(pa.int64()).cast(pa.timestamp("ns", "UTC"))})
    table = create_table(tmp_path / "three", columns, format_version=3).append(given)
    assert table.scan().to_table()["at"].cast(pa.int64()).to_pylist() == [1, None]


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("write.target-file-size-bytes", "0", "found '0', wanted 1 or more"),
        ("write.target-file-size-bytes", "big", "found 'big', wanted a whole number"),
        ("write.object-storage.enabled", "yes", "found 'yes', wanted true or false"),
        ("write.format.default", "csv", "found 'csv', wanted parquet or orc or avro"),
        ("write.location-provider.impl", "a.B", "found a class, wanted no such property"),
        ("write.parquet.page-version", "v3", "found 'v3', wanted v1 or v2"),
        ("write.parquet.page-row-limit", "0", "found '0', wanted 1 or more"),
        ("write.parquet.stats-enabled.column.id", "no", "found 'no', wanted true or false"),
        ("write.parquet.compression-codec", "lzo", "found 'lzo', wanted zstd or gzip"),
        ("write.metadata.metrics.default", "truncate(0)", "found 'truncate(0)', wanted none"),
        ("write.metadata.metrics.column.id", "all", "found 'all', wanted none"),
    ],
)
def test_properties_that_are_no_values_are_refused(
    tmp_path: Path, key: str, value: str, found: str
) -> None:
    """The error names the property, before anything is written."""
    table = create_table(tmp_path / "t", COLUMNS, properties={key: value})
    with pytest.raises(FormatError) as caught:
        table.append(rows(0, 1))
    assert str(caught.value).startswith(f"properties.{key}: {found}")
    assert not list((tmp_path / "t").rglob("*.parquet"))


def test_tables_of_catalogs_and_copies_are_refused(tmp_path: Path) -> None:
    """A table whose metadata has a catalog's name, or that was moved, is not written."""
    table = create_table(tmp_path / "t", COLUMNS).append(rows(0, 1))
    place = Path(table.metadata_location)
    named = place.with_name("00002-7f0cbd6a.metadata.json")
    named.write_bytes(place.read_bytes())
    with pytest.raises(Unsupported, match="other catalogs are not written"):
        open_table(named).append(rows(1, 2))
    named.unlink()
    (tmp_path / "t").rename(tmp_path / "moved")
    with pytest.raises(Unsupported, match="a table where its metadata says it is"):
        open_table(tmp_path / "moved").append(rows(1, 2))


def test_what_is_no_arrow_data_is_refused(tmp_path: Path) -> None:
    """A list of dictionaries is no Arrow data."""
    table = create_table(tmp_path / "t", COLUMNS)
    with pytest.raises(FormatError, match="wanted Arrow data"):
        table.append([{"id": 1}])
    with pytest.raises(ArgumentError, match="wanted Arrow data"):
        table.append(5)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A file in the place of the data folder is a `StorageError`, and the table stays."""
    table = create_table(tmp_path / "t", COLUMNS)
    (tmp_path / "t" / "data").write_bytes(b"")
    with pytest.raises(StorageError):
        table.append(rows(0, 1))
    assert open_table(tmp_path / "t").current_snapshot is None


@given(data=st.data())
@examples(0.5)
def test_appends_are_rows_of_a_list(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """Whatever is appended, in whatever pieces, the table has the rows of a plain list."""
    folder = tmp_path_factory.mktemp("drawn")
    version = data.draw(st.sampled_from(VERSIONS))
    terms = st.sampled_from(["city", "day(at)", "bucket(3, id)", "flag", "truncate(5, small)"])
    partition_by = data.draw(st.lists(terms, unique=True, max_size=2))
    sort_by = data.draw(st.lists(st.sampled_from(["id desc", "ratio", "city"]), max_size=1))
    group = data.draw(st.sampled_from(["500", "134217728"]))
    table = create_table(
        folder / "t",
        COLUMNS,
        partition_by=partition_by,
        sort_by=sort_by,
        format_version=version,
        properties={"write.parquet.row-group-size-bytes": group},
    )
    start = 0
    for size in data.draw(st.lists(st.integers(0, 12), max_size=4)):
        table = table.append(rows(start, start + size))
        start += size
    assert content(table) == expected(rows(0, start))
    assert table.verify() == []
