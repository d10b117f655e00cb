"""Manifests and manifest lists are read, with inherited values, and refused if damaged.

Manifests are read by internal modules: as parts of tables, most of these would be refused sooner.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from io import BytesIO
from typing import Any

import fastavro
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import avro_files
from tests.support.drawn import examples
from tests.support.iceberg_fixtures import entry_schema, list_schema
from tests.support.iceberg_manifests import (
    CODECS,
    SCHEMA,
    SPEC,
    Case,
    container,
    entry,
    listed,
    manifest,
    shown,
    write_list,
)
from tests.support.iceberg_schemas import a_field, a_struct

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.iceberg import PartitionSpec, Schema, bind, col
from byteloom.iceberg.manifests.entries import SCAN_COLUMNS, stream_entries
from byteloom.iceberg.manifests.joining import joined_entries
from byteloom.iceberg.manifests.manifest_list import ManifestList, read_manifest_list

FEW = [
    entry(0),
    entry(1, status=0, sequence_number=3, snapshot_id=9),
    entry(2, status=2, sequence_number=2, snapshot_id=9),
]
INHERITED = {
    "snapshot_id": 77,
    "sequence_number": 5,
    "file_sequence_number": 5,
    "first_row_id": None,
}


def reads_as(made: dict[str, Any], row: dict[str, Any]) -> bool:
    """Return whether an added entry shows all that was written, and inherits the rest."""
    wanted = shown(made) | INHERITED
    return all(wanted[name] == row[name] for name in wanted if name in row)


class TestForms:
    """The same entries are read from any form that an Avro writer gives them."""

    @pytest.mark.parametrize("codec", CODECS)
    @pytest.mark.parametrize("block", [1, 3, 1_000])
    def test_codecs(self, codec: str, block: int) -> None:
        """Every codec of Avro is read, in blocks of any length."""
        entries = [entry(i) for i in range(10)]
        rows = Case.of(entries, manifest(entries, codec=codec, block=block)).read()
        assert [reads_as(*pair) for pair in zip(entries, rows, strict=True)] == [True] * 10

    def test_empty_blocks(self) -> None:
        """Blocks of no records are skipped."""
        entries = [entry(i) for i in range(3)]
        data = container([[], entries[:1], [], [], entries[1:], []], entry_schema())
        rows = Case.of(entries, data).read()
        assert [reads_as(*pair) for pair in zip(entries, rows, strict=True)] == [True] * 3

    def test_only_what_is_asked_for_and_what_is_always_needed_is_kept(self) -> None:
        """Paths and formats of files are kept whatever is asked for, other texts only if asked."""
        texts = {"file_path", "file_format", "key_metadata"}
        for asked in (set[str](), {"key_metadata"}, {"file_format"}):
            table = Case.of(FEW).entries(columns=asked).table()
            assert texts & {*table.column_names} == {"file_path", "file_format", *asked}
            paths = [each["data_file"]["file_path"] for each in FEW]
            assert table.column("file_path").to_pylist() == paths

    def test_no_entries(self) -> None:
        """A manifest without entries gives no rows, and all columns."""
        case = Case.of([], manifest([]))
        assert case.read() == []
        assert case.entries().table().column_names == Case.of(FEW).entries().table().column_names

    def test_no_manifests(self) -> None:
        """No manifests give no rows, and all columns."""
        case = Case()
        assert case.entries().table().num_rows == 0
        assert case.entries().table().column_names == Case.of(FEW).entries().table().column_names

    def test_entries_of_several_reads_keep_their_manifests(self) -> None:
        """Joined entries keep the paths of their manifests, stored once for each list."""
        one = Case.of([entry(0)]).add([entry(1)]).entries()
        other = replace(Case.of([entry(2)]).entries(), paths=["other"])
        parts = [one.take(np.array([1])), other, one.take(np.array([0])), other]
        joined = joined_entries(parts)
        paths = [joined.manifest_path(row) for row in range(4)]
        assert paths == [one.paths[1], "other", one.paths[0], "other"]
        assert len(set(paths)) == len(joined.paths) == 3

    def test_null_is_the_second_branch(self) -> None:
        """The order of a union's branches does not matter."""
        schema = entry_schema()
        flip(schema)
        assert [reads_as(FEW[0], row) for row in Case.of(FEW[:1], manifest(FEW[:1], schema)).read()]

    def test_data_files_in_a_union(self) -> None:
        """A data file may be in a union with null, of which each entry has the file."""
        schema = entry_schema()
        schema["fields"][-1]["type"] = [schema["fields"][-1]["type"], "null"]
        rows = Case.of(FEW, manifest(FEW, schema)).read()
        assert rows == Case.of(FEW).read()
        held = [*FEW[:1], {**FEW[1], "data_file": None}]
        with pytest.raises(FormatError, match=r"m0\.avro: data_file\.\w+: found nothing, wanted"):
            Case.of(FEW[:2], manifest(held, schema)).read()

    def test_without_ids(self) -> None:
        """Files without field ids are read by name."""
        schema = without_ids(entry_schema())
        case = Case.of(FEW[:1], manifest(FEW[:1], schema))
        assert reads_as(FEW[0], case.read()[0])
        assert case.entries().partition(0)[1].to_pylist() == [{"ts_day": DAY, "id_bucket": 0}]

    def test_other_names(self) -> None:
        """Fields with ids are read by their ids, whatever their names are."""
        schema = renamed(entry_schema())
        made = renamed_value(FEW[0])
        row = Case.of(FEW[:1], container([[made]], schema, header=HEADER)).read()[0]
        assert reads_as(FEW[0], row)

    def test_missing_optional_fields(self) -> None:
        """Fields that a file does not have are null."""
        schema = entry_schema()
        fields = schema["fields"][-1]["type"]["fields"]
        fields[:] = [each for each in fields if not isinstance(each["type"], list)]
        row = Case.of(FEW[:1], manifest(FEW[:1], schema)).read()[0]
        optional = ("column_sizes", "lower_bounds", "split_offsets", "sort_order_id")
        assert [row[name] for name in optional] == [None] * 4

    @pytest.mark.parametrize("missing", ["status", "file_path", "record_count", "file_format"])
    def test_missing_required_fields(self, missing: str) -> None:
        """A file without a field that entries need is refused."""
        schema = entry_schema()
        for fields in (schema["fields"], schema["fields"][-1]["type"]["fields"]):
            fields[:] = [each for each in fields if each["name"] != missing]
        with pytest.raises(FormatError, match=missing):
            Case.of(FEW[:1], manifest(FEW[:1], schema)).read()

    @pytest.mark.parametrize("kind", range(16))
    def test_unknown_fields(self, kind: int) -> None:
        """Unknown fields of any Avro type are skipped, wherever they are."""
        of, value = strange()[kind]
        schema = entry_schema()
        extra = {"name": "extra", "type": of, "field-id": 9_999}
        schema["fields"].insert(1, extra)
        again = {**extra, "name": "extra2", "field-id": 9_998}
        again["type"] = by_name(of)
        schema["fields"][-1]["type"]["fields"].insert(4, again)
        made = [entry(i) for i in range(3)]
        written = [
            {**each, "extra": value, "data_file": {**each["data_file"], "extra2": value}}
            for each in made
        ]
        rows = Case.of(made, manifest(written, schema)).read()
        assert [reads_as(*pair) for pair in zip(made, rows, strict=True)] == [True] * 3

    def test_array_blocks_with_sizes(self) -> None:
        """An array may be stored in several blocks that state their size."""
        data = manifest([entry(0, split_offsets=[4, 8, 12])])
        plain = b"\x06\x08\x10\x18\x00"
        assert data.count(plain) == 1
        sized = b"\x03\x04\x08\x10" + b"\x02\x18\x00"
        where = data.index(plain)
        longer = data[:where] + sized + data[where + len(plain) :]
        longer = longer.replace(*resized(data, len(sized) - len(plain)))
        rows = Case.of([entry(0)], longer).read()
        assert rows[0]["split_offsets"] == [4, 8, 12]

    @pytest.mark.parametrize(
        ("start", "message"), [(b"AGS1", "encrypted"), (b"PAR1", "Parquet")], ids=["AGS1", "PAR1"]
    )
    def test_other_formats(self, start: bytes, message: str) -> None:
        """Encrypted files and Parquet files are refused and named as such."""
        data = start + bytes(100)
        with pytest.raises(Unsupported, match=message):
            Case.of([], data).read()
        with pytest.raises(Unsupported, match=message):
            read_manifest_list(data)

    def test_later_versions(self) -> None:
        """A manifest of version 4 is refused and named as such."""
        with pytest.raises(Unsupported, match="format-version"):
            Case.of(FEW, manifest(FEW, format_version="4")).read()


class TestColumns:
    """Chosen columns and rows of entries are read and kept in order."""

    def test_deleted_entries(self) -> None:
        """Deleted entries are left out unless they are asked for."""
        assert [each["status"] for each in Case.of(FEW).read(with_deleted=False)] == [1, 0]
        assert [each["status"] for each in Case.of(FEW).read()] == [1, 0, 2]

    def test_batches(self) -> None:
        """Many manifests give the same entries in one read, one by one, and in threads."""
        case = Case()
        for i in range(40):
            case.add([entry(10 * i + k) for k in range(i % 5)])
        whole = case.read(threads=1)
        assert len(whole) == 80
        assert case.read(threads=1, batch_size=1) == whole
        assert case.read(threads=3, batch_size=1) == whole
        assert [row["manifest"] for row in whole] == [i for i in range(40) for _ in range(i % 5)]

    def test_some_rows_and_columns(self) -> None:
        """A table of some rows and columns holds these, in their order."""
        entries = Case.of(FEW).entries()
        rows = np.array([2, 0])
        table = entries.table(rows, columns={"record_count", "file_path", "upper_bounds"})
        assert table.column_names == ["file_path", "record_count", "upper_bounds"]
        assert (
            table.to_pylist() == entries.table(columns=table.column_names).take([2, 0]).to_pylist()
        )

    def test_take(self) -> None:
        """Entries that were taken have the values of their rows, statistics and partitions too."""
        entries = Case.of(FEW).add([entry(7)]).entries(stats_for={1, 2})
        taken = entries.take(np.array([3, 1]))
        assert taken.table().to_pylist() == entries.table().take([3, 1]).to_pylist()
        assert taken.partition(0)[1].to_pylist() == entries.partition(0)[1].take([3, 1]).to_pylist()
        upper = entries.stats.of(1).upper.to_arrow().take([3, 1])
        assert taken.stats.of(1).upper.to_arrow() == upper

    @pytest.mark.parametrize("whole", [True, False])
    def test_statistics(self, whole: bool) -> None:
        """Statistics of a column are the same, whether the maps are read whole or not."""
        options = {} if whole else {"columns": SCAN_COLUMNS}
        stats = Case.of(FEW).entries(stats_for={1, 2, 2_147_483_546}, **options).stats
        assert stats.of(1).value_count.tolist() == [10, 11, 12]
        assert stats.of(1).null_count.tolist() == [-1, -1, -1]
        assert stats.of(2).null_count.tolist() == [0, 1, 2]
        assert stats.of(1).lower.to_arrow().to_pylist() == [
            i.to_bytes(8, "little") for i in range(3)
        ]
        assert stats.of(2).lower.to_arrow().null_count == 3
        assert stats.of(2_147_483_546).value_count.tolist() == [-1, -1, -1]

    def test_partitions(self) -> None:
        """Partition tuples have the types of the spec, and its ids; an int may stand for a date."""
        schema = entry_schema(
            [
                {"name": "d", "type": ["null", "int"], "default": None, "field-id": 1000},
                {"name": "b", "type": ["null", "long"], "default": None, "field-id": 1001},
            ]
        )
        made = entry(0, partition={"d": 3, "b": None})
        rows, tuples = Case.of([made], manifest([made], schema)).entries().partition(0)
        assert rows.tolist() == [0]
        assert [str(each.type) for each in tuples.type] == ["date32[day]", "int32"]
        assert [each.metadata for each in tuples.type] == [
            {b"PARQUET:field_id": b"1000"},
            {b"PARQUET:field_id": b"1001"},
        ]
        assert tuples.cast(tuples.type).field(0).cast("int32").to_pylist() == [3]
        assert tuples.field(1).to_pylist() == [None]

    @pytest.mark.parametrize("i", range(12))
    def test_partition_types(self, i: int) -> None:
        """Identity partitions of every type are read, even as they were before a promotion."""
        of, avro, written, wanted = PARTITIONS[i]
        schema = Schema.from_json(a_struct(a_field(1, "c", of)) | {"schema-id": 0})
        spec = PartitionSpec.from_fields(
            [{"name": "c", "transform": "identity", "source-id": 1, "field-id": 1000}]
        )
        field = {"name": "c", "type": ["null", avro], "default": None, "field-id": 1000}
        made = [entry(k, partition={"c": value}) for k, value in enumerate([written, None])]
        case = Case.of(made, manifest(made, entry_schema([field])))
        _, tuples = case.entries(specs={0: spec}, schema=schema).partition(0)
        assert tuples.field(0).to_pylist() == [wanted, None]

    def test_partition_of_a_dropped_column(self) -> None:
        """A partition value whose column is gone has the type that it was written as."""
        schema = Schema.from_json({"type": "struct", "schema-id": 1, "fields": []})
        _, tuples = Case.of(FEW).entries(schema=schema).partition(0)
        assert [str(each.type) for each in tuples.type] == ["date32[day]", "int32"]

    @pytest.mark.parametrize(
        ("kind", "logical", "of"),
        [
            ("long", "timestamp-micros", "timestamp[us]"),
            ("long", "timestamp-millis", "int64"),
            ("int", "date", "date32[day]"),
            ("int", "time-millis", "int32"),
        ],
    )
    def test_partition_of_an_unknown_transform(self, kind: str, logical: str, of: str) -> None:
        """A value of an unknown transform has the type it is written as, if Iceberg has that."""
        stored = {"type": kind, "logicalType": logical}
        schema = entry_schema([{"name": "c", "type": stored, "field-id": 1000}])
        spec = PartitionSpec.from_fields([{"name": "c", "transform": "unheard", "source-id": 1}])
        made = entry(0, partition={"c": 5})
        _, tuples = Case.of([made], manifest([made], schema)).entries(specs={0: spec}).partition(0)
        assert str(tuples.type.field(0).type) == of
        assert tuples.field(0).view("int64" if kind == "long" else "int32").to_pylist() == [5]

    def test_unpartitioned(self) -> None:
        """Files of an unpartitioned spec have empty tuples."""
        made = entry(0, partition={})
        case = Case.of([made], manifest([made], entry_schema([])))
        rows, tuples = case.entries(specs={0: PartitionSpec()}).partition(0)
        assert (rows.tolist(), tuples.to_pylist()) == ([0], [{}])


class TestInheritance:
    """Entries inherit values from their manifest by the rules of the spec."""

    def test_added(self) -> None:
        """An added entry has the ids and numbers of its manifest, unless it states its own."""
        made = [entry(0), entry(1, snapshot_id=3, sequence_number=4, file_sequence_number=2)]
        rows = Case.of(made).read()
        assert [row["snapshot_id"] for row in rows] == [77, 3]
        assert [row["sequence_number"] for row in rows] == [5, 4]
        assert [row["file_sequence_number"] for row in rows] == [5, 2]

    @pytest.mark.parametrize("status", [0, 2])
    def test_others_have_their_own(self, status: int) -> None:
        """An entry that was not added must have a sequence number; the file's may be unknown."""
        row = Case.of([made := entry(0, status=status, sequence_number=3)]).read()[0]
        assert (row["sequence_number"], row["file_sequence_number"]) == (3, None)
        made["sequence_number"] = None
        with pytest.raises(FormatError, match=r"m0\.avro: entries\[0\]\.sequence_number"):
            Case.of([made]).read()

    @pytest.mark.parametrize("status", [0, 1, 2])
    def test_version_1(self, status: int) -> None:
        """Entries of version 1 have the sequence number 0, whatever their status."""
        case = Case.of([entry(0, status=status)], sequence_number=0, min_sequence_number=0)
        row = case.read()[0]
        assert (row["sequence_number"], row["file_sequence_number"]) == (0, 0)

    def test_first_row_ids(self) -> None:
        """Files without a first row id get the manifest's next one; others keep their own."""
        made = [
            entry(0, record_count=125),
            entry(1, record_count=7, first_row_id=40),
            entry(2, record_count=25, status=0, sequence_number=1),
            entry(3, record_count=9, status=2, sequence_number=1),
            entry(4, record_count=1),
        ]
        case = Case()
        for start in (1_000, 5_000):
            held = [{**each, "data_file": dict(each["data_file"])} for each in made]
            for each in held:
                each["data_file"]["file_path"] += f".{start}"
            case.add(held, manifest(held, v3_entry_schema()), first_row_id=start)
        case.add(
            [entry(8, first_row_id=3)], manifest([entry(8, first_row_id=3)], v3_entry_schema())
        )
        rows = read_v3(case)
        assert [row["first_row_id"] for row in rows] == [
            *(1_000, 40, 1_125, None, 1_150),
            *(5_000, 40, 5_125, None, 5_150),
            None,
        ]

    def test_first_row_ids_after_files_of_no_rows_and_of_uncounted_rows(self) -> None:
        """A file of no rows takes no row ids; after one of -1 rows none are known."""
        made = [
            entry(0, record_count=0),
            entry(1, record_count=3),
            entry(2, record_count=5, first_row_id=0),
            entry(3, record_count=-1),
            entry(4, record_count=2),
            entry(5, record_count=-1, first_row_id=9),
        ]
        rows = read_v3(Case.of(made, manifest(made, v3_entry_schema()), first_row_id=0))
        assert [row["first_row_id"] for row in rows] == [0, 0, 0, 3, None, 9]

    def test_delete_manifests_have_no_row_ids(self) -> None:
        """Files of delete manifests have no first row id."""
        made = [entry(0, content=1)]
        data = manifest(made, content="deletes")
        rows = read_v3(Case.of(made, data, content=1, first_row_id=1_000))
        assert rows[0]["first_row_id"] is None


class TestList:
    """Manifest lists are read and checked, and their summaries prune manifests."""

    def test_old_names(self) -> None:
        """Counts that old writers named differently are found by their field ids."""
        schema = list_schema()
        for each in schema["fields"]:
            each["name"] = each["name"].replace("_files_count", "_data_files_count")
        row = listed(b"data", FEW)
        old = {
            key.replace("_files_count", "_data_files_count"): value for key, value in row.items()
        }
        read = read_manifest_list(write_list([old], schema)).table.to_pylist()[0]
        assert {name: read[name] for name in row} == row

    def test_version_1(self) -> None:
        """Fields that version 1 lacks have the defaults of the spec; counts are unknown."""
        schema = list_schema()
        schema["fields"] = [
            each for each in schema["fields"] if each["field-id"] in {500, 501, 502, 503}
        ]
        held = read_manifest_list(write_list([listed(b"data", FEW)], schema))
        row = held.table.to_pylist()[0]
        assert [row[name] for name in ("content", "sequence_number", "min_sequence_number")] == [
            0
        ] * 3
        assert row["added_files_count"] is None
        assert held.numbers("added_files_count").tolist() == [-1]

    def test_paths(self) -> None:
        """Manifests that version 1 names without a list have unknown counts, and are all read."""
        case = Case.of(FEW)
        held = ManifestList.of_paths(list(case.files))
        (entries,) = stream_entries(
            held, case.files.__getitem__, {0: SPEC}, SCHEMA, with_deleted=True
        )
        assert entries.sequence_number.tolist() == [0, 3, 2]
        assert entries.status.tolist() == [1, 0, 2]

    def test_summaries(self) -> None:
        """Manifests are pruned by their summaries, and never if they have none."""
        rows = [
            listed(b"x", FEW, manifest_path=f"m{i}", partitions=[summary(i, i), summary(0, 15)])
            for i in range(5)
        ]
        rows.append(listed(b"x", FEW, manifest_path="none"))
        rows.append(listed(b"x", FEW, manifest_path="short", partitions=[summary(9, 9)]))
        rows.append(listed(b"x", FEW, manifest_path="other", partition_spec_id=1))
        held = read_manifest_list(write_list(rows))
        stated, summaries = held.summaries(SPEC)
        assert stated.tolist() == [True] * 5 + [False] * 3
        assert summaries[1000].lower.sizes.tolist() == [4] * 5 + [-1] * 3
        bound = bind(col("id_bucket") == 99, Schema(SPEC.partition_type(SCHEMA).fields))
        assert held.may_match(SPEC, bound).tolist() == [False] * 5 + [True] * 3
        bound = bind(col("ts_day") > 2, Schema(SPEC.partition_type(SCHEMA).fields))
        assert held.may_match(SPEC, bound).tolist() == [False] * 3 + [True] * 5
        last = held.take(np.array([4, 0, 5]))
        assert last.may_match(SPEC, bound).tolist() == [True, False, True]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("content", 2),
            ("content", -1),
            ("partition_spec_id", 7),
            ("manifest_length", 0),
            ("manifest_length", -1),
            ("added_files_count", -1),
            ("deleted_files_count", -5),
            ("sequence_number", -1),
            ("min_sequence_number", 6),
        ],
    )
    def test_what_cannot_be(self, name: str, value: int) -> None:
        """An impossible value in a list is an error with the manifest and the field."""
        rows = [listed(b"x", FEW), listed(b"x", FEW, manifest_path="m1", **{name: value})]
        read_manifest_list(write_list(rows[:1])).check({0: SPEC})
        with pytest.raises(FormatError, match=rf"^a/list: manifests\[1\]\.{name}: found {value}"):
            read_manifest_list(write_list(rows), "a/list").check({0: SPEC})

    @pytest.mark.parametrize("value", [-(1 << 31), (1 << 31) - 1, -(1 << 31) - 1, 1 << 31])
    @pytest.mark.parametrize("name", ["partition_spec_id", "deleted_files_count"])
    def test_numbers_of_32_bits(self, name: str, value: int) -> None:
        """A number beyond its type is refused when the list is read, even if it is not used."""
        schema = list_schema()
        (field,) = (each for each in schema["fields"] if each["name"] == name)
        field["type"] = "long"
        rows = write_list([listed(b"x", FEW, **{name: value})], schema)
        if -(1 << 31) <= value < 1 << 31:
            assert read_manifest_list(rows).numbers(name).tolist() == [value]
            return
        said = rf"^a/list: {name}: found {value} to {value}, wanted numbers of type int32"
        with pytest.raises(FormatError, match=said):
            read_manifest_list(rows, "a/list")

    def test_row_ids_that_are_missing(self) -> None:
        """With row ids, data manifests must have a first one, and delete manifests need none."""
        rows = [listed(b"x", FEW, content=1), listed(b"x", FEW, manifest_path="m1")]
        held = read_manifest_list(write_list(rows))
        held.check({0: SPEC})
        with pytest.raises(FormatError, match=r"manifests\[1\]\.first_row_id"):
            held.check({0: SPEC}, first_row_id=0)

    def test_a_manifest_twice(self) -> None:
        """A manifest that is listed twice is refused."""
        held = read_manifest_list(write_list([listed(b"x", FEW), listed(b"x", FEW)]))
        with pytest.raises(FormatError, match="twice"):
            held.check({0: SPEC})

    def test_missing_fields(self) -> None:
        """A list without paths is refused."""
        schema = list_schema()
        del schema["fields"][0]
        with pytest.raises(FormatError, match="manifest_path"):
            read_manifest_list(write_list([listed(b"x", FEW)], schema))


class TestDamage:
    """A manifest that contradicts its list is an error that names it."""

    @pytest.mark.parametrize(
        "changes",
        [
            {"manifest_length": 5},
            {"added_files_count": 0},
            {"added_files_count": 0, "existing_files_count": 0},
            {"existing_files_count": 3},
            {"deleted_files_count": 0},
            {"added_rows_count": 11},
            {"existing_rows_count": 0},
            {"min_sequence_number": 4},
            {"content": 1},
        ],
        ids=str,
    )
    def test_list_says_otherwise(self, changes: dict[str, Any]) -> None:
        """Counts, lengths, sequence numbers and contents are checked against the list."""
        Case.of(FEW).read()
        with pytest.raises(FormatError, match=r"^s3://bucket/table/metadata/m0\.avro: ") as caught:
            Case.of(FEW, **changes).read()
        assert "as the list says" in caught.value.wanted

    def test_rows_are_compared_with_the_list_where_all_are_counted(self) -> None:
        """A manifest with a file of -1 rows may have any number; one of 0 rows is compared."""
        uncounted = [entry(0, record_count=-1), entry(1, record_count=3)]
        rows = Case.of(uncounted, added_rows_count=99).read()
        assert [row["record_count"] for row in rows] == [None, 3]
        made = [entry(0, record_count=0), entry(1, record_count=3)]
        assert len(Case.of(made, added_rows_count=3).read()) == 2
        said = r"added_rows_count: found 3, wanted 4, as the list says$"
        with pytest.raises(FormatError, match=said):
            Case.of(made, added_rows_count=4).read()
        said = r"existing_files_count: found 0, wanted 1, as the list says$"
        with pytest.raises(FormatError, match=said):
            Case.of(made, existing_files_count=1, added_files_count=1).read()

    def test_no_verification(self) -> None:
        """With `verify=False` a manifest is read although it contradicts its list."""
        assert len(Case.of(FEW, added_files_count=0, manifest_length=9).read(verify=False)) == 3

    @pytest.mark.parametrize(
        ("header", "value"),
        [("partition_spec_id", "3"), ("content", "deletes"), ("partition_spec_id", "x")],
    )
    def test_header_says_otherwise(self, header: str, value: str) -> None:
        """A manifest whose header contradicts the list is refused."""
        changed: dict[str, Any] = {header: value}
        with pytest.raises(FormatError, match=header.replace("_", "-")):
            Case.of(FEW, manifest(FEW, **changed)).read()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("status", 3),
            ("status", -1),
            ("content", 1),
            ("content", 3),
            ("record_count", -2),
            ("file_size_in_bytes", -1),
            ("sequence_number", -1),
            ("file_format", "csv"),
        ],
    )
    def test_values_that_cannot_be(self, name: str, value: Any) -> None:
        """Codes that the spec does not know, negative numbers and invalid UTF-8 are refused."""
        made = entry(1, **{name: value})
        with pytest.raises(FormatError, match=name):
            Case.of([entry(0), made], existing_files_count=int(name == "status")).read()

    def test_a_file_twice(self) -> None:
        """A file that is live twice in a snapshot is refused, in one manifest or in two."""
        made = [entry(i) for i in range(4)]
        again = entry(9, file_path=made[2]["data_file"]["file_path"])
        wanted = r"m0\.avro: file_path: found 's3://.*00002.parquet', which is live already"
        with pytest.raises(FormatError, match=wanted):
            Case.of([*made, again]).read()
        for options in ({"threads": 1}, {"threads": 2, "batch_size": 1}):
            with pytest.raises(FormatError, match=wanted.replace("m0", "m1")):
                Case.of(made).add([again]).read(**options)

    def test_what_is_not_twice(self) -> None:
        """A file deleted and added again, and parts of one Puffin file, are live once."""
        schema = v3_entry_schema()
        made = [entry(0, status=2, sequence_number=1), entry(0)]
        vectors = [
            entry(0, content=1, file_path="v.puffin", file_format="PUFFIN", content_offset=at)
            for at in (4, 60)
        ]
        case = Case.of(made)
        case.add(vectors, manifest(vectors, schema, content="deletes"), content=1)
        assert len(case.read()) == 4

    def test_of_several_snapshots(self) -> None:
        """Manifests of several snapshots may hold a file live more than once."""
        case = Case.of([entry(0)]).add([entry(0)])
        assert len(case.read(one_snapshot=False)) == 2

    def test_a_name_is_reported_where_many_are_read(self) -> None:
        """A damaged manifest is named even if several are decoded together."""
        case = Case()
        for i in range(6):
            case.add([entry(i)])
        data = bytearray(case.files["s3://bucket/table/metadata/m4.avro"])
        data[data.index(b"s3://") - 1] = 0xFF
        case.files["s3://bucket/table/metadata/m4.avro"] = bytes(data)
        with pytest.raises(FormatError, match=r"^s3://bucket/table/metadata/m4\.avro"):
            case.read()

    @pytest.mark.parametrize("codec", CODECS)
    def test_every_prefix(self, codec: str) -> None:
        """Every prefix of a manifest is refused, if need be by its length alone."""
        data = manifest(FEW, codec=codec, block=1)
        step = 5 if codec == "null" else 29
        for end in [*range(0, len(data), step), *range(len(data) - 40, len(data))]:
            with pytest.raises(FormatError, match=r"m0\.avro: (avro\.|entries|records|manifest)"):
                Case.of(FEW, data[:end], manifest_length=end).read()
            with pytest.raises(
                Truncated, match=f"manifest_length: found {end} bytes, wanted {len(data)}"
            ):
                Case.of(FEW, data[:end], manifest_length=len(data)).read()


class TestDamageByChance:
    """Random damage is an error or harmless, and never a short list or a crash."""

    @examples(1.5)
    @given(st.data(), st.sampled_from(CODECS), st.sampled_from([1, 100]))
    def test_flips_of_a_manifest(self, data: st.DataObject, codec: str, block: int) -> None:
        """A manifest with one to three changed bytes has all entries or is refused."""
        whole = manifest(FEW, codec=codec, block=block)
        damaged = bytearray(whole)
        for _ in range(data.draw(st.integers(1, 3))):
            damaged[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
        for verify in (True, False):
            with suppress(ByteloomError):
                rows = Case.of(FEW, bytes(damaged)).read(verify=verify, stats_for={1, 2})
                assert len(rows) == len(FEW) or not verify

    @examples(1.5)
    @given(st.data())
    def test_flips_of_a_list(self, data: st.DataObject) -> None:
        """A manifest list that is changed or cut off gives a valid table or a `ByteloomError`."""
        rows = [
            listed(b"x", FEW, manifest_path=f"m{i}", partitions=[summary(i, i)] * 2)
            for i in range(4)
        ]
        codec = data.draw(st.sampled_from(["null", "deflate"]))
        damaged = bytearray(container([rows], list_schema(), codec=codec))
        for _ in range(data.draw(st.integers(0, 3))):
            damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
        cut = data.draw(st.integers(0, len(damaged)))
        with suppress(ByteloomError):
            held = read_manifest_list(bytes(damaged[:cut] if data.draw(st.booleans()) else damaged))
            held.check({0: SPEC})
            held.summaries(SPEC)
            held.table.validate(full=True)


class TestBounds:
    """The cost of reading a file is bounded by its size."""

    @pytest.mark.parametrize("codec", ["deflate", "zstandard", "bzip2", "xz"])
    def test_bombs(self, codec: str) -> None:
        """A block that expands without bounds is refused."""
        schema = {**entry_schema()}
        schema["fields"] = [*schema["fields"], {"name": "x", "type": "bytes", "field-id": 5_000}]
        made = entry(0) | {"x": bytes(40 << 20)}
        with pytest.raises(LimitExceeded, match=r"avro\.block at byte \d+ .*limits\.expansion"):
            Case.of([made], manifest([made], schema, codec=codec)).read()

    @pytest.mark.parametrize("count", [1 << 20, 1 << 40, (1 << 63) - 1, -1, -(1 << 63)])
    def test_counts_of_blocks(self, count: int) -> None:
        """A block may state at most as many records as it has bytes."""
        data = container([FEW], entry_schema(), header=HEADER)
        at = data.index(bytes(range(16))) + 16
        assert data[at] == 2 * len(FEW)
        said = r"m0\.avro: (entries|avro\.block|avro\.blocks\[0\]\.head|avro\.entries)\b.*: found"
        with pytest.raises(FormatError, match=said):
            Case.of(FEW, data[:at] + zigzag(count) + data[at + 1 :]).read()

    def test_records_that_do_not_fit(self) -> None:
        """The least size of a record bounds the count of a block before memory is allocated."""
        data = container([FEW], entry_schema(), header=HEADER)
        at = data.index(bytes(range(16))) + 16
        more = data[:at] + zigzag(60) + data[at + 1 :]
        with pytest.raises(FormatError, match=r"60 records, wanted records of 2\d bytes or more"):
            Case.of(FEW, more).read(verify=False)

    @pytest.mark.parametrize("count", [1 << 20, 1 << 40, (1 << 63) - 1, -(1 << 63)])
    @pytest.mark.parametrize("options", [{}, {"columns": SCAN_COLUMNS, "stats_for": {1}}])
    def test_counts_of_arrays(self, count: int, options: dict[str, Any]) -> None:
        """An impossible count of a list, a map or a skipped array is an error at its offset."""
        made = entry(0, split_offsets=[7, 7, 7])
        data = manifest([made])
        at = data.index(b"\x06\x0e\x0e\x0e\x00")
        longer = data[:at] + zigzag(count) + data[at + 1 :]
        longer = longer.replace(*resized(data, len(longer) - len(data)))
        at = longer.index(zigzag(count) + b"\x0e\x0e\x0e\x00")
        wanted = rf"m0\.avro: records\[0\]\.data_file\.split_offsets at byte {at} .*a count of"
        with pytest.raises(FormatError, match=wanted):
            Case.of([made], longer).read(**options)


DAY = date(2022, 1, 8)
HEADER = {"partition-spec-id": "0", "format-version": "2", "content": "data"}

PARTITIONS: list[tuple[str, Any, Any, Any]] = [
    ("boolean", "boolean", True, True),
    ("int", "int", -5, -5),
    ("long", "int", 7, 7),
    ("long", "long", -(1 << 62), -(1 << 62)),
    ("double", "float", 0.5, 0.5),
    ("double", "double", -0.1, -0.1),
    ("string", "string", "é", "é"),
    ("binary", "bytes", b"\xff\x00", b"\xff\x00"),
    ("fixed[3]", {"type": "fixed", "name": "f3", "size": 3}, b"abc", b"abc"),
    (
        "uuid",
        {"type": "fixed", "name": "u", "size": 16, "logicalType": "uuid"},
        bytes(range(16)),
        bytes(range(16)),
    ),
    ("float", "float", 1.5, 1.5),
    (
        "decimal(20, 2)",
        {"type": "fixed", "name": "d4", "size": 4},
        (-12_345).to_bytes(4, "big", signed=True),
        Decimal("-123.45"),
    ),
]


def strange() -> list[tuple[Any, Any]]:
    """Draw Avro types, with a value of each."""
    return [
        ("null", None),
        ("boolean", True),
        ("int", -1),
        ("long", 1 << 60),
        ("float", 1.5),
        ("double", -1.5),
        ("bytes", b"\x00" * 300),
        ("string", "text"),
        ({"type": "fixed", "name": "F", "size": 5}, b"fixed"),
        ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B"),
        ({"type": "array", "items": {"type": "array", "items": "string"}}, [["a"], [], ["b", "c"]]),
        ({"type": "map", "values": {"type": "map", "values": "long"}}, {"a": {"b": 1}, "c": {}}),
        (["string", "null", {"type": "array", "items": "double"}], [1.0, 2.0]),
        ({"type": "array", "items": "null"}, [None] * 50),
        (
            {
                "type": "record",
                "name": "R",
                "fields": [
                    {"name": "status", "type": "string"},
                    {"name": "n", "type": ["null", {"type": "array", "items": "int"}]},
                ],
            },
            {"status": "x", "n": [1, 2]},
        ),
        ({"type": "array", "items": {"type": "record", "name": "Z", "fields": []}}, [{}, {}]),
    ]


def by_name(of: Any) -> Any:
    """Return a type that was declared before, by its name."""
    if isinstance(of, dict) and isinstance(of.get("items"), dict):
        return {**of, "items": by_name(of["items"])}
    return of["name"] if isinstance(of, dict) and "name" in of else of


def flip(schema: Any) -> None:
    """Put null second in every union."""
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), list):
            schema["type"] = schema["type"][::-1]
            schema.pop("default", None)
        for each in schema.values():
            flip(each)
    elif isinstance(schema, list):
        for each in schema:
            flip(each)


def without_ids(schema: Any) -> Any:
    """Return the schema without its ids."""
    if isinstance(schema, dict):
        return {
            key: without_ids(each)
            for key, each in schema.items()
            if key not in {"field-id", "element-id"}
        }
    return [without_ids(each) for each in schema] if isinstance(schema, list) else schema


def renamed(schema: Any) -> Any:
    """Return the schema with all fields renamed."""
    if isinstance(schema, dict):
        made = {key: renamed(each) for key, each in schema.items()}
        return {**made, "name": f"x_{made['name']}"} if "field-id" in made else made
    return [renamed(each) for each in schema] if isinstance(schema, list) else schema


def renamed_value(value: Any) -> Any:
    """Return an entry for that schema."""
    if isinstance(value, dict):
        return {f"x_{key}": renamed_value(each) for key, each in value.items()}
    return [renamed_value(each) for each in value] if isinstance(value, list) else value


def v3_entry_schema() -> dict[str, Any]:
    """Return the Avro schema of entries of version 3."""
    schema = entry_schema()
    for key, name, of in ((142, "first_row_id", "long"), (144, "content_offset", "long")):
        field = {"name": name, "type": ["null", of], "default": None, "field-id": key}
        schema["fields"][-1]["type"]["fields"].append(field)
    return schema


def read_v3(case: Case) -> list[dict[str, Any]]:
    """Return the entries of a case whose list has first row ids."""
    schema = list_schema()
    schema["fields"].append(
        {"name": "first_row_id", "type": ["null", "long"], "default": None, "field-id": 520}
    )
    held = read_manifest_list(write_list(case.rows, schema))
    parts = stream_entries(held, case.files.__getitem__, {0: SPEC}, SCHEMA, with_deleted=True)
    return [row for part in parts for row in part.table().to_pylist()]


def summary(lower: int, upper: int) -> dict[str, Any]:
    """Return the summary of a partition field of ints."""
    lowest, highest = struct.pack("<i", lower), struct.pack("<i", upper)
    return {
        "contains_null": False,
        "contains_nan": None,
        "lower_bound": lowest,
        "upper_bound": highest,
    }


def zigzag(number: int) -> bytes:
    """Return a number in Avro's encoding."""
    out = BytesIO()
    fastavro.schemaless_writer(out, "long", number)
    return out.getvalue()


def resized(data: bytes, more: int) -> tuple[bytes, bytes]:
    """Return the start of the only block of one record, as it is, and with another size."""
    at = data.index(bytes(range(16))) + 16
    size = len(data) - at - 16
    for width in (1, 2, 3):
        content = size - 1 - width
        old = zigzag(1) + zigzag(content)
        if data[at:].startswith(old):
            return bytes(range(16)) + old, bytes(range(16)) + zigzag(1) + zigzag(content + more)
    raise AssertionError(size)


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_damage_in_a_list_has_the_place_of_its_block(codec: str) -> None:
    """An offset in decompressed bytes is reported as such, beside the block's bytes in the file."""
    named = {"name": "manifest_path", "type": "string", "field-id": 500}
    schema = {"type": "record", "name": "manifest_file", "fields": [named]}
    sound, damaged = b"\x02a", b"\x02b\x09c"
    first = avro_files.container([avro_files.block(1, sound, codec)], schema, codec)
    data = first + avro_files.block(2, damaged, codec)
    with pytest.raises(FormatError, match=r"^l: records\[2\]\.manifest_path at ") as refused:
        read_manifest_list(data, "l")
    start, size = len(first) + 2, len(avro_files.PACKED[codec](damaged))
    assert refused.value.offset == (start + 2 if codec == "null" else start)
    stored = f"(bytes {start} to {start + size - 1} of the file)"
    said = f" at byte 2 of the decompressed block 1 {stored}, wanted "
    assert (said in str(refused.value)) == (codec != "null")
