"""Tables that can be planned but not read: manifests of files that do not exist.

Manifests and lists are written by fastavro, a manifest for each content and spec; every entry says
its own sequence number.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

import fastavro
from tests.support.iceberg_fixtures import entry_schema, list_schema
from tests.support.iceberg_summaries import summaries_of

from byteloom.errors import FormatError
from byteloom.iceberg import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["ListedFile", "metadata_table_kinds", "table_of"]

_LATEST = 9
_MAPS = ("value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")


@dataclass(frozen=True)
class ListedFile:
    """A file as a manifest lists it; *content* is 0 for data, 1 for positions, 2 for equality.

    partition  by field name, as Avro writes it
    stats      maps by name, from column ids as text; bounds in hexadecimal digits
    offset     of a deletion vector
    """

    path: str
    content: int = 0
    spec_id: int = 0
    partition: Mapping[str, Any] = field(default_factory=dict)
    sequence: int = 1
    records: int = 10
    stats: Mapping[str, Any] = field(default_factory=dict)
    equality_ids: Sequence[int] | None = None
    referenced: str | None = None
    offset: int | None = None

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return 1_000 + self.records

    def entry(self) -> dict[str, Any]:
        """The entry of a manifest."""
        is_vector = self.offset is not None
        stated = {name: dict(self.stats.get(name, {})) for name in _MAPS}
        for name in ("lower_bounds", "upper_bounds"):
            stated[name] = {key: bytes.fromhex(value) for key, value in stated[name].items()}
        maps = {
            name: [{"key": int(key), "value": value} for key, value in held.items()]
            for name, held in stated.items()
        }
        return {
            "status": 0,
            "snapshot_id": 1,
            "sequence_number": self.sequence,
            "file_sequence_number": self.sequence,
            "data_file": {
                "content": self.content,
                "file_path": self.path,
                "file_format": "PUFFIN" if is_vector else "PARQUET",
                "partition": dict(self.partition),
                "record_count": self.records,
                "file_size_in_bytes": self.size,
                **maps,
                "equality_ids": list(self.equality_ids) if self.equality_ids else None,
                "referenced_data_file": self.referenced,
                "content_offset": self.offset,
                "content_size_in_bytes": 40 if is_vector else None,
            },
        }


def table_of(
    folder: Path,
    schema: dict[str, Any],
    specs: Mapping[int, Sequence[Any]],
    files: Sequence[ListedFile],
) -> Table:
    """Write a table of these files and open it.

    schema  as JSON
    specs   by id their fields: source id, field id, name, transform, type in Avro
    """
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(files, key=_manifest_of)
    listed = [
        _manifest(folder, number, schema, specs, list(group))
        for number, (_, group) in enumerate(groupby(ordered, _manifest_of))
    ]
    path = folder / "snap-1.avro"
    with path.open("wb") as file:
        fastavro.writer(file, list_schema(), listed, metadata={"format-version": "3"})
    metadata = folder / "v1.metadata.json"
    metadata.write_text(json.dumps(_metadata(folder, schema, specs, str(path))))
    return open_table(metadata)


def _manifest_of(stated: ListedFile) -> tuple[bool, int]:
    """What files of one manifest have in common: whether they are deletes, and the spec."""
    return stated.content > 0, stated.spec_id


def _spec(fields: Sequence[Any]) -> list[dict[str, Any]]:
    """The fields of a spec as JSON."""
    return [
        {"source-id": source, "field-id": key, "name": name, "transform": transform}
        for source, key, name, transform, _ in fields
    ]


def _entry_schema(fields: Sequence[Any]) -> dict[str, Any]:
    """The schema of entries, with the fields of deletion vectors."""
    made = entry_schema(
        [
            {"name": name, "type": ["null", of], "default": None, "field-id": key}
            for _, key, name, _, of in fields
        ]
    )
    more = ((143, "referenced_data_file", "string"), (144, "content_offset", "long"))
    data_file = next(each for each in made["fields"] if each["name"] == "data_file")
    data_file["type"]["fields"] += [
        {"name": name, "type": ["null", of], "default": None, "field-id": key}
        for key, name, of in (*more, (145, "content_size_in_bytes", "long"))
    ]
    return made


def _manifest(
    folder: Path,
    number: int,
    schema: dict[str, Any],
    specs: Mapping[int, Sequence[Any]],
    files: list[ListedFile],
) -> dict[str, Any]:
    """Write a manifest; return its entry of the list."""
    path = folder / f"m{number}.avro"
    is_delete, spec_id = _manifest_of(files[0])
    header = {
        "schema": json.dumps(schema),
        "partition-spec": json.dumps(_spec(specs[spec_id])),
        "partition-spec-id": str(spec_id),
        "format-version": "3",
        "content": "deletes" if is_delete else "data",
    }
    with path.open("wb") as file:
        entries = [each.entry() for each in files]
        fastavro.writer(file, _entry_schema(specs[spec_id]), entries, metadata=header)
    return {
        "manifest_path": str(path),
        "manifest_length": path.stat().st_size,
        "partition_spec_id": spec_id,
        "content": int(is_delete),
        "sequence_number": _LATEST,
        "min_sequence_number": min(each.sequence for each in files),
        "added_snapshot_id": 1,
        "added_files_count": 0,
        "existing_files_count": len(files),
        "deleted_files_count": 0,
        "added_rows_count": 0,
        "existing_rows_count": sum(each.records for each in files),
        "deleted_rows_count": 0,
        "partitions": summaries_of(
            [(name, of) for _, _, name, _, of in specs[spec_id]],
            [each.partition for each in files],
        ),
    }


def _metadata(
    folder: Path, schema: dict[str, Any], specs: Mapping[int, Sequence[Any]], snapshots: str
) -> dict[str, Any]:
    """The table's metadata: of version 2, whose manifests may list files of any kind."""
    fields = [each for held in specs.values() for each in held]
    return {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": str(folder),
        "last-sequence-number": _LATEST,
        "last-updated-ms": 1_700_000_000_000,
        "last-column-id": 1_000,
        "current-schema-id": 0,
        "schemas": [schema],
        "default-spec-id": max(specs),
        "partition-specs": [
            {"spec-id": number, "fields": _spec(held)} for number, held in specs.items()
        ],
        "last-partition-id": max((each[1] for each in fields), default=999),
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "current-snapshot-id": 1,
        "snapshots": [
            {
                "snapshot-id": 1,
                "sequence-number": _LATEST,
                "timestamp-ms": 1_700_000_000_000,
                "summary": {"operation": "append"},
                "manifest-list": snapshots,
                "schema-id": 0,
            }
        ],
        "refs": {"main": {"snapshot-id": 1, "type": "branch"}},
    }


def metadata_table_kinds(table: Table) -> list[str]:
    """Return the names of all metadata tables, as the error for an unknown one lists them."""
    try:
        table.metadata_table("?")
    except FormatError as error:
        return error.wanted.removeprefix("one of ").split(", ")
    raise AssertionError("an unknown metadata table is refused")
