"""Entries that are columns become the same records as entries that are dicts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from byteloom.avro.container import open_avro
from byteloom.errors import FormatError
from byteloom.iceberg import PartitionSpec, Schema
from byteloom.iceberg.manifests.containers import read_containers
from byteloom.iceberg.manifests.encoding import encoded_entries
from byteloom.iceberg.manifests.entries import ALL_COLUMNS, Entries, read_entries
from byteloom.iceberg.manifests.manifest_list import read_manifest_list
from byteloom.iceberg.manifests.writing import ManifestOutput, write_manifest, write_manifest_list
from byteloom.limits import DEFAULT_LIMITS

TYPES = {
    "boolean": [True, False],
    "int": [-(1 << 31), 63],
    "long": [(1 << 63) - 1, -64],
    "float": [1.5, float("nan")],
    "double": [-0.0, 1e300],
    "decimal(9, 2)": [Decimal("-1.25"), Decimal("9999999.99")],
    "decimal(38, 4)": [Decimal("0.0001"), Decimal(-5)],
    "date": [0, -719162],
    "timestamp": [1, -1],
    "timestamptz": [1 << 50, 0],
    "string": ["", "ü" * 100],
    "uuid": [UUID(int=1), UUID(int=(1 << 128) - 1)],
    "fixed[3]": [b"abc", b"\x00\x00\x00"],
    "binary": [b"", b"\xff" * 70],
}
SCHEMA = Schema.from_json(
    {
        "type": "struct",
        "schema-id": 3,
        "fields": [
            {"id": number, "name": f"c{number}", "type": each, "required": False}
            for number, each in enumerate(TYPES, 1)
        ],
    }
)
SPEC = PartitionSpec.from_json(
    {
        "spec-id": 0,
        "fields": [
            {
                "source-id": number,
                "field-id": 999 + number,
                "name": f"c{number}",
                "transform": "identity",
            }
            for number in range(1, len(TYPES) + 1)
        ],
    }
)


def rows(version: int) -> list[dict[str, Any]]:
    """Return entries with all fields, with few, and with the extremes of each type."""
    names = [each.name for each in SPEC.fields]
    tuples = [dict(zip(names, held, strict=True)) for held in zip(*TYPES.values(), strict=True)]
    plain = {
        "content": 0,
        "status": 1,
        "snapshot_id": 7,
        "file_format": "PARQUET",
        "record_count": 130,
        "file_size_in_bytes": 1 << 40,
    }
    full = {
        **plain,
        "column_sizes": {1: 0, 2: 1 << 40},
        "value_counts": {1: 5},
        "null_value_counts": {},
        "nan_value_counts": {4: 1},
        "lower_bounds": {1: b"", 2: b"ab"},
        "upper_bounds": {number: bytes(number) for number in range(100)},
        "key_metadata": b"k",
        "split_offsets": [4, 1 << 33],
        "sort_order_id": 0,
    }
    if version > 2:
        full |= {"first_row_id": 12}
    if version > 1:
        full |= {"status": 0, "sequence_number": 5, "file_sequence_number": 6}
        full |= {"referenced_data_file": "x"}
    made = [
        {**plain, "partition": dict.fromkeys(names)},
        {**full, "partition": tuples[0]},
        {**plain, "partition": tuples[1]},
    ]
    return [{"file_path": f"s3://b/{number}", **each} for number, each in enumerate(made)]


def entries_of(data: bytes, version: int) -> Entries:
    """Return what a manifest has, as columns."""
    row = {
        "manifest_path": "m",
        "manifest_length": len(data),
        "partition_spec_id": 0,
        "content": 0,
        "sequence_number": 9 if version > 1 else 0,
        "min_sequence_number": 0,
        "added_snapshot_id": 7,
        **{
            f"{kind}_{what}_count": 0
            for kind in ("added", "existing", "deleted")
            for what in ("files", "rows")
        },
    }
    if version == 1:
        for name in ("content", "sequence_number", "min_sequence_number"):
            row.pop(name)
    listed = read_manifest_list(write_manifest_list([row], version=version))
    return read_entries(
        listed, lambda _: data, {0: SPEC}, SCHEMA, columns=ALL_COLUMNS, verify=False
    )


def content(data: bytes) -> bytes:
    """Return the records of a manifest, decompressed."""
    container, _ = read_containers([open_avro(data)], DEFAULT_LIMITS)
    return bytes(container.data[: int(container.blocks[-1, 2])])


@pytest.mark.parametrize("version", [1, 2, 3])
def test_columns_are_written_as_dicts_are(version: int) -> None:
    """The bytes are the same, for each type of partition values and each field of a version."""
    wanted = write_manifest(rows(version), version=version, schema=SCHEMA, spec=SPEC)
    entries = entries_of(wanted, version)
    own = [each.get("sequence_number", -1) for each in rows(version)]
    entries.numbers["sequence_number"][:] = own
    entries.numbers["file_sequence_number"][:] = [-1, 6 if version > 1 else -1, -1]
    entries.numbers["first_row_id"][:] = [-1, 12 if version > 2 else -1, -1]
    output = ManifestOutput(version=version, schema=SCHEMA, spec=SPEC)
    output.extend(entries)
    assert content(output.finish()) == content(wanted)
    output = ManifestOutput(version=version, schema=SCHEMA, spec=SPEC)
    for row in range(len(entries)):
        output.extend(entries.view(np.array([row])))
    assert content(output.finish()) == content(wanted)


def test_a_field_that_the_version_lacks_is_refused() -> None:
    """A deletion vector's place would be lost in version 2."""
    data = write_manifest(rows(3), version=3, schema=SCHEMA, spec=SPEC)
    entries = entries_of(data, 3)
    entries.numbers["content_offset"][:] = 4
    with pytest.raises(FormatError, match="content_offset: found values, wanted nothing: version"):
        encoded_entries(entries, version=2, schema=SCHEMA, spec=SPEC)


def test_blocks_end_where_they_would() -> None:
    """Encoded records fill blocks as values do."""
    some = [
        {**each, "file_path": f"{each['file_path']}/{n}"} for n in range(900) for each in rows(2)
    ]
    wanted = write_manifest(some, version=2, schema=SCHEMA, spec=SPEC)
    entries = entries_of(wanted, 2)
    for name, numbers in (("sequence_number", [-1, 5, -1]), ("file_sequence_number", [-1, 6, -1])):
        entries.numbers[name][:] = numbers * 900
    output = ManifestOutput(version=2, schema=SCHEMA, spec=SPEC)
    output.extend(entries)
    made = [
        read_containers([open_avro(each)], DEFAULT_LIMITS)[0] for each in (wanted, output.finish())
    ]
    assert made[0].blocks.tolist() == made[1].blocks.tolist()
    assert len(made[0].blocks) > 3
