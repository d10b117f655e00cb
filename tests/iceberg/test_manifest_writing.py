"""Manifests and manifest lists are written as each format version requires.

The page about Iceberg's spec documents the writer, which is internal otherwise.
"""

from __future__ import annotations

import json
from decimal import Decimal
from io import BytesIO
from typing import Any
from uuid import UUID

import fastavro
import pytest
from tests.support.iceberg_manifests import SCHEMA, SPEC, Case, entry, listed

from byteloom.errors import FormatError
from byteloom.iceberg.manifests import manifest_list
from byteloom.iceberg.manifests.fields import entry_type, list_type
from byteloom.iceberg.manifests.writing import write_manifest, write_manifest_list
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import StructType
from byteloom_generated.iceberg import manifests as tables

VERSIONS = (1, 2, 3)
NEW = {"content", "sequence_number", "file_sequence_number", "equality_ids"}
"""What version 1 does not have."""


def flat(made: dict[str, Any], version: int = 2) -> dict[str, Any]:
    """Return an entry as the writer takes it."""
    row = {**made, **made["data_file"]}
    del row["data_file"]
    for name, value in row.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            row[name] = {each["key"]: each["value"] for each in value}
    return (
        row if version > 1 else {k: v for k, v in row.items() if k not in NEW} | {"snapshot_id": 7}
    )


def written(rows: list[dict[str, Any]], version: int, **options: Any) -> bytes:
    """Return the bytes of a manifest."""
    chosen = {"schema": SCHEMA, "spec": SPEC, **options}
    return write_manifest(rows, version=version, **chosen)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("codec", ["deflate", "null", "snappy"])
def test_a_manifest_is_read_as_it_was_written(version: int, codec: str) -> None:
    """A manifest has every value and statistic that was written, in every version and codec."""
    entries = [entry(i) for i in range(5)]
    data = written([flat(each, version) for each in entries], version, codec=codec)
    read = Case.of(entries, data).read()
    for row, made in zip(read, entries, strict=True):
        for name, value in flat(made, version).items():
            if isinstance(value, dict) and name != "partition":
                assert dict(row[name]) == value
            elif name != "partition" and value is not None:
                assert row[name] == value


@pytest.mark.parametrize("version", VERSIONS)
def test_a_manifest_has_the_fields_of_its_version(version: int) -> None:
    """A manifest has its version's fields and ids, and null as default of optional ones."""
    data = written([flat(entry(), version)], version)
    schema = json.loads(fastavro.reader(BytesIO(data)).metadata["avro.schema"])
    file = next(each for each in schema["fields"] if each["name"] == "data_file")["type"]
    for rows, made in ((tables.MANIFEST_ENTRY, schema), (tables.DATA_FILE, file)):
        asked = {each.name: (each.id, getattr(each, f"v{version}")) for each in rows}
        wanted = {k: v for k, v in asked.items() if v[1] in {"required", "optional"}}
        found = {
            each["name"]: (each["field-id"], "optional" if "default" in each else "required")
            for each in made["fields"]
        }
        assert found == wanted


@pytest.mark.parametrize("version", VERSIONS)
def test_a_header_has_the_keys_of_its_version(version: int) -> None:
    """The header of a manifest has exactly the keys of its version, besides Avro's own."""
    data = written([flat(entry(), version)], version)
    header = fastavro.reader(BytesIO(data)).metadata
    wanted = {each.name for each in tables.MANIFEST_KEYS if getattr(each, f"v{version}")}
    assert {each for each in header if not each.startswith("avro.")} == wanted
    assert Schema.from_json(json.loads(header["schema"])) == SCHEMA
    assert PartitionSpec.from_fields(json.loads(header["partition-spec"])) == SPEC


def test_version_1_fills_in_what_nobody_reads() -> None:
    """Version 1 writes the block size that it requires and that nobody reads."""
    data = written([flat(entry(), 1)], 1)
    record: Any = next(fastavro.reader(BytesIO(data)))
    assert record["data_file"]["block_size_in_bytes"] == 64 << 20


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_version_requires_must_be_there(version: int) -> None:
    """A missing required field is an error with the entry, the field and the version."""
    of = entry_type(version, StructType(()))
    file = next(each.type for each in of.fields if each.name == "data_file")
    assert isinstance(file, StructType)
    needed = [each.name for each in (*of.fields, *file.fields) if each.required]
    for name in set(needed) - {"data_file", "block_size_in_bytes"}:
        row = {key: value for key, value in flat(entry(), version).items() if key != name}
        with pytest.raises(FormatError, match=rf"entries\[1\]\.{name}: .*version {version}"):
            written([flat(entry(), version), row], version)


@pytest.mark.parametrize(
    ("version", "change"),
    [
        (1, {"content": 1}),
        (1, {"sequence_number": 3}),
        (2, {"first_row_id": 5}),
        (2, {"content_offset": 4}),
        (3, {"file_ordinal": 1}),
        (3, {"colour": "red"}),
    ],
)
def test_what_a_version_does_not_have_is_refused(version: int, change: dict[str, Any]) -> None:
    """A value of a field that the version does not have is refused, and not dropped."""
    ((name, value),) = change.items()
    wanted = f"nothing: version {version} does not have it" if name != "colour" else "no such field"
    error = rf"^entries\[0\]\.(data_file\.)?{name}: found {value!r}, wanted {wanted}$"
    with pytest.raises(FormatError, match=error):
        written([{**flat(entry(), version), **change}], version)
    zero = {name: 0 for name in change if name != "colour"}
    assert written([{**flat(entry(), version), **zero}], version)


@pytest.mark.parametrize(
    "change",
    [{"record_count": "many"}, {"content": 1 << 40}, {"file_path": 3}, {"split_offsets": ["a"]}],
)
def test_a_value_of_another_type_is_refused(change: dict[str, Any]) -> None:
    """A value of another type, or beyond the type's range, is an error with its field."""
    with pytest.raises(FormatError, match=next(iter(change))):
        written([{**flat(entry()), **change}], 2)


def test_partition_values_of_every_kind_are_written() -> None:
    """Partition values of every type are written as storage values and read back."""
    values: dict[str, tuple[str, Any]] = {
        "long": ("l", 1 << 40),
        "boolean": ("f", True),
        "double": ("d", 0.5),
        "decimal(9, 2)": ("n", Decimal("-14.20")),
        "decimal(20, 0)": ("w", Decimal(10**19)),
        "date": ("t", 19_000),
        "time": ("h", 5),
        "timestamp": ("m", -1),
        "timestamptz_ns": ("z", 1_700_000_000_000_000_001),
        "string": ("s", "ü"),
        "uuid": ("u", UUID(int=7)),
        "fixed[3]": ("x", b"abc"),
        "binary": ("b", b"\0"),
    }
    fields: list[dict[str, Any]] = [
        {"id": number, "name": name, "required": False, "type": of}
        for number, (of, (name, _)) in enumerate(values.items(), 1)
    ]
    schema = Schema.from_json({"type": "struct", "schema-id": 0, "fields": fields})
    parts = [
        {"source-id": each["id"], "field-id": 999 + each["id"], "name": each["name"]}
        | {"transform": "identity"}
        for each in fields
    ]
    spec = PartitionSpec.from_json({"spec-id": 0, "fields": parts})
    stated = dict(values.values())
    made = [entry(0, partition=stated), entry(1, partition=dict.fromkeys(stated))]
    data = written([flat(each) for each in made], 3, schema=schema, spec=spec)
    entries = Case.of(made, data).entries(specs={0: spec}, schema=schema)
    first, second = entries.partition(0)[1]
    assert second.as_py() == dict.fromkeys(stated)
    for name, value in stated.items():
        found = first[name]
        whole = found.value if name in {"t", "h", "m", "z"} else found.as_py()
        assert whole == (value.bytes if isinstance(value, UUID) else value)


@pytest.mark.parametrize(("size", "entries"), [(63_999, [2]), (64_000, [1, 1])])
def test_a_block_is_full_at_64_000_bytes(size: int, entries: list[int]) -> None:
    """A block ends with the entry with which it has 64,000 bytes, as in Java."""
    around = 1 + 3 + 16  # the number of entries, their size, and the marker

    def blocks(*lengths: int) -> list[tuple[int, int]]:
        rows = [flat(entry(key_metadata=bytes(length))) for length in lengths]
        read = fastavro.block_reader(BytesIO(written(rows, 2, codec="null")))
        return [(each.num_records, each.size - around) for each in read]

    length = 60_000
    ((_, found),) = blocks(length)
    length += size - found
    assert blocks(length) == [(1, size)]
    assert [each[0] for each in blocks(length, 0)] == entries


class TestLists:
    """Manifest lists are written as each format version requires."""

    ROW = listed(
        bytes(9), [entry()], partitions=[{"contains_null": False, "lower_bound": b"\1"}] * 2
    )

    def rows(self, version: int) -> list[dict[str, Any]]:
        """Return the fields of a row that lists of the version have."""
        names = {each.name for each in list_type(version).fields}
        return [{name: value for name, value in self.ROW.items() if name in names}]

    @pytest.mark.parametrize("version", VERSIONS)
    def test_a_list_is_read_as_it_was_written(self, version: int) -> None:
        """A manifest list has every value that was written, summaries included."""
        data = write_manifest_list(self.rows(version), version=version)
        (row,) = manifest_list.read_manifest_list(data).table.to_pylist()
        for name, value in self.rows(version)[0].items():
            if name != "partitions":
                assert row[name] == value
        assert [each["lower_bound"] for each in row["partitions"]] == [b"\1", b"\1"]

    @pytest.mark.parametrize("version", VERSIONS)
    def test_a_list_has_the_fields_of_its_version(self, version: int) -> None:
        """A manifest list has exactly its version's fields, with their ids."""
        data = write_manifest_list(self.rows(version), version=version)
        schema = json.loads(fastavro.reader(BytesIO(data)).metadata["avro.schema"])
        wanted = {
            each.name: each.id for each in tables.MANIFEST_FILE if getattr(each, f"v{version}")
        }
        assert {each["name"]: each["field-id"] for each in schema["fields"]} == wanted

    def test_what_a_version_requires_must_be_there(self) -> None:
        """A list without counts is refused since version 2, which requires them."""
        for name in ("added_files_count", "deleted_rows_count", "sequence_number"):
            row = {key: value for key, value in self.rows(2)[0].items() if key != name}
            with pytest.raises(FormatError, match=rf"manifests\[0\]\.{name}: .*version 2"):
                write_manifest_list([row], version=2)
