"""Small tables with data and deletes, put together file by file: a commit is a list of files.

The rules:

- Manifests and lists are written by fastavro, data files by whoever makes them; nothing here is
  byteloom's, but for the Puffin file of deletion vectors, which other tests hold to Java's.
- Commit *n*, from 1, has the sequence number *n*; its snapshot holds the files of all before it,
  but for those that one of them removed.
- Columns are ``(id, name, type)``, optional unless the type begins with ``required ``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from tests.support.iceberg_fixtures import entry_schema, list_schema
from tests.support.iceberg_summaries import summaries_of

from byteloom import puffin
from byteloom.iceberg import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = ["File", "TableMaker", "arrow", "deletion_vectors", "parquet", "position_deletes"]

_PATH, _POS = 2_147_483_546, 2_147_483_545


@dataclass(frozen=True)
class File:
    """A file of a commit; *content* is 0 for data, 1 for positions, 2 for equality.

    bounds  of columns that hold one value, by id
    nulls   numbers of nulls, by id
    """

    path: Path
    records: int
    content: int = 0
    equality_ids: Sequence[int] | None = None
    partition: Mapping[str, Any] = field(default_factory=dict)
    spec_id: int = 0
    referenced: str | None = None
    offset: int | None = None
    size: int | None = None
    length: int | None = None
    bounds: Mapping[int, bytes] = field(default_factory=dict)
    nulls: Mapping[int, int] = field(default_factory=dict)

    @property
    def format(self) -> str:
        """The format of a file, by the ending of its path."""
        return self.path.suffix[1:].upper()


@dataclass(frozen=True)
class _Entry:
    """A file in a manifest: *status* 0 existing, 1 added, 2 deleted by *snapshot*."""

    file: File
    status: int
    snapshot: int
    sequence: int


def arrow(columns: Mapping[tuple[int, str], pa.Array]) -> pa.Table:
    """Return a table whose columns carry ids."""
    fields = [
        pa.field(name, array.type, metadata={"PARQUET:field_id": str(number)})
        for (number, name), array in columns.items()
    ]
    return pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields))


def parquet(path: Path, table: pa.Table, **options: Any) -> File:
    """Write a data file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)
    return File(path, table.num_rows)


def position_deletes(
    path: Path, rows: Iterable[tuple[Path, int]], *, has_bounds: bool = False
) -> File:
    """Write a position delete file; the bounds of one for a single data file can name that file."""
    held = sorted((str(name), position) for name, position in rows)
    columns = {
        (_PATH, "file_path"): pa.array([name for name, _ in held], pa.string()),
        (_POS, "pos"): pa.array([position for _, position in held], pa.int64()),
    }
    made = parquet(path, arrow(columns))
    bounds = {_PATH: held[0][0].encode()} if has_bounds else {}
    return File(made.path, made.records, content=1, bounds=bounds)


def deletion_vectors(path: Path, positions: Mapping[Path, Any]) -> list[File]:
    """Write the deletion vectors of some data files into one Puffin file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    vectors = {name: puffin.DeletionVector.from_positions(each) for name, each in positions.items()}
    with puffin.PuffinWriter(path) as writer:
        for name, vector in vectors.items():
            writer.add_deletion_vector(vector, str(name))
    with puffin.open(path) as file:
        blobs = file.blobs
    return [
        File(
            path,
            len(vector),
            content=1,
            referenced=str(name),
            offset=blob.offset,
            size=blob.length,
        )
        for (name, vector), blob in zip(vectors.items(), blobs, strict=True)
    ]


def _operation(files: Sequence[File], removed: Sequence[File]) -> str:
    """Return the operation of a snapshot that added and removed files."""
    if not removed and all(each.content == 0 for each in files):
        return "append"
    return "overwrite" if any(each.content == 0 for each in files) else "delete"


class TableMaker:
    """A table that grows by commits.

    columns     of the current schema: id, name and type as JSON
    partitions  by spec id the fields: source id, field id, name, transform, and type in Avro
    """

    def __init__(
        self,
        root: Path,
        columns: Sequence[tuple[Any, ...]],
        *,
        version: int = 2,
        old_columns: Sequence[Sequence[tuple[Any, ...]]] = (),
        partitions: Mapping[int, Sequence[tuple[int, int, str, str, Any]]] | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        """Begin with no commit."""
        self.root = root
        self._version = version
        self._schemas = [*old_columns, columns]
        self._schema_id = len(self._schemas) - 1
        self._specs = dict(partitions or {0: ()})
        self._properties = dict(properties or {})
        self._manifests: list[dict[str, Any]] = []
        self._entries: list[list[_Entry]] = []
        self._snapshots: list[dict[str, Any]] = []
        self._rows = self._written = 0
        (root / "metadata").mkdir(parents=True, exist_ok=True)

    def commit(
        self,
        *files: File,
        removed: Sequence[File] = (),
        operation: str | None = None,
        schema_id: int | None = None,
    ) -> TableMaker:
        """Add files, and remove others, whose manifests are rewritten.

        operation  what the snapshot is said to do; None for what it does
        schema_id  of the schema that is current now; None for the newest
        """
        self._schema_id = len(self._schemas) - 1 if schema_id is None else schema_id
        number = len(self._snapshots) + 1
        first = self._rows
        self._remove(number, removed)
        for is_delete in (False, True):
            for spec_id in self._specs:
                chosen = [
                    _Entry(each, 1, number, number)
                    for each in files
                    if bool(each.content) == is_delete and each.spec_id == spec_id
                ]
                if chosen:
                    self._manifest(number, spec_id, chosen, is_delete=is_delete)
        path = self.root / "metadata" / f"snap-{number}.avro"
        schema = list_schema()
        schema["fields"].append(
            {"name": "first_row_id", "type": ["null", "long"], "default": None, "field-id": 520}
        )
        with path.open("wb") as file:
            header = {"format-version": str(self._version)}
            fastavro.writer(file, schema, self._manifests, codec="deflate", metadata=header)
        snapshot = {
            "snapshot-id": number,
            "sequence-number": number,
            "timestamp-ms": 1_700_000_000_000 + number,
            "summary": {"operation": operation or _operation(files, removed)},
            "manifest-list": str(path),
            "schema-id": self._schema_id,
        }
        if number > 1:
            snapshot["parent-snapshot-id"] = number - 1
        if self._version > 2:
            snapshot |= {"first-row-id": first, "added-rows": self._rows - first}
        self._snapshots.append(snapshot)
        return self

    def open(self) -> Table:
        """Write the metadata and open the table."""
        path = self.root / "metadata" / f"v{len(self._snapshots)}.metadata.json"
        path.write_text(json.dumps(self._metadata()))
        return open_table(path)

    def _remove(self, number: int, removed: Sequence[File]) -> None:
        """Rewrite the manifests that list removed files."""
        kept, stated = [], list(zip(self._manifests, self._entries, strict=True))
        self._manifests, self._entries = [], []
        for manifest, entries in stated:
            live = [replace(each, status=0) for each in entries if each.status < 2]
            new = [
                replace(each, status=2, snapshot=number) if each.file in removed else each
                for each in live
            ]
            if new == live:
                kept.append((manifest, entries))
                continue
            spec_id, is_delete = manifest["partition_spec_id"], bool(manifest["content"])
            self._manifest(
                number, spec_id, new, is_delete=is_delete, first=manifest["first_row_id"]
            )
        for manifest, entries in kept:
            self._manifests.append(manifest)
            self._entries.append(entries)

    def _manifest(
        self,
        number: int,
        spec_id: int,
        entries: Sequence[_Entry],
        *,
        is_delete: bool,
        first: int | None = None,
    ) -> None:
        """Write a manifest, and note what the list says of it; *first* is of one rewritten."""
        self._written += 1
        path = self.root / "metadata" / f"{self._written}-m.avro"
        spec = [
            {"source-id": source, "field-id": key, "name": name, "transform": transform}
            for source, key, name, transform, _ in self._specs[spec_id]
        ]
        header = {
            "schema": json.dumps(self._schema(self._schema_id)),
            "partition-spec": json.dumps(spec),
            "partition-spec-id": str(spec_id),
            "format-version": str(self._version),
            "content": "deletes" if is_delete else "data",
        }
        records = [self._record(each) for each in entries]
        with path.open("wb") as file:
            fastavro.writer(file, self._entry_schema(spec_id), records, metadata=header)
        counts = [sum(each.status == status for each in entries) for status in range(3)]
        rows = [
            sum(each.file.records for each in entries if each.status == status)
            for status in range(3)
        ]
        if self._version > 2 and not is_delete and first is None:
            first = self._rows
            self._rows += rows[1]
        self._entries.append(list(entries))
        self._manifests.append(
            {
                "manifest_path": str(path),
                "manifest_length": path.stat().st_size,
                "partition_spec_id": spec_id,
                "content": int(is_delete),
                "sequence_number": number,
                "min_sequence_number": min(
                    (each.sequence for each in entries if each.status < 2), default=number
                ),
                "added_snapshot_id": number,
                "added_files_count": counts[1],
                "existing_files_count": counts[0],
                "deleted_files_count": counts[2],
                "added_rows_count": rows[1],
                "existing_rows_count": rows[0],
                "deleted_rows_count": rows[2],
                "partitions": summaries_of(
                    [(name, of) for _, _, name, _, of in self._specs[spec_id]],
                    [each.file.partition for each in entries],
                ),
                "first_row_id": first,
            }
        )

    def _entry_schema(self, spec_id: int) -> dict[str, Any]:
        """The Avro schema of entries, with the fields of version 3."""
        partition = [
            {"name": name, "type": ["null", of], "default": None, "field-id": key}
            for _, key, name, _, of in self._specs[spec_id]
        ]
        schema = entry_schema(partition)
        more = (
            (142, "first_row_id", "long"),
            (143, "referenced_data_file", "string"),
            (144, "content_offset", "long"),
            (145, "content_size_in_bytes", "long"),
        )
        schema["fields"][-1]["type"]["fields"] += [
            {"name": name, "type": ["null", of], "default": None, "field-id": key}
            for key, name, of in more
        ]
        return schema

    def _record(self, entry: _Entry) -> dict[str, Any]:
        """An entry as a manifest has it; those added inherit their sequence numbers."""
        file, stated = entry.file, None if entry.status == 1 else entry.sequence
        bounds, nulls = (
            [{"key": key, "value": value} for key, value in each.items()] or None
            for each in (file.bounds, file.nulls)
        )
        return {
            "status": entry.status,
            "snapshot_id": entry.snapshot,
            "sequence_number": stated,
            "file_sequence_number": stated,
            "data_file": {
                "content": file.content,
                "file_path": str(file.path),
                "file_format": file.format,
                "partition": dict(file.partition),
                "record_count": file.records,
                "file_size_in_bytes": (
                    file.path.stat().st_size if file.length is None else file.length
                ),
                "null_value_counts": nulls,
                "lower_bounds": bounds,
                "upper_bounds": bounds,
                "equality_ids": file.equality_ids,
                "referenced_data_file": file.referenced,
                "content_offset": file.offset,
                "content_size_in_bytes": file.size,
            },
        }

    def _schema(self, number: int) -> dict[str, Any]:
        """A schema as JSON."""
        fields = []
        for key, name, of, *rest in self._schemas[number]:
            required = isinstance(of, str) and of.startswith("required ")
            kind = of.removeprefix("required ") if isinstance(of, str) else of
            more = rest[0] if rest else {}
            fields.append({"id": key, "name": name, "required": required, "type": kind, **more})
        return {"type": "struct", "schema-id": number, "fields": fields}

    def _metadata(self) -> dict[str, Any]:
        """The table's metadata."""
        specs = [
            {
                "spec-id": spec_id,
                "fields": [
                    {"source-id": source, "field-id": key, "name": name, "transform": transform}
                    for source, key, name, transform, _ in fields
                ],
            }
            for spec_id, fields in self._specs.items()
        ]
        metadata = {
            "format-version": self._version,
            "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
            "location": str(self.root),
            "last-sequence-number": len(self._snapshots),
            "last-updated-ms": 1_700_000_000_000,
            "last-column-id": 1000,
            "current-schema-id": len(self._schemas) - 1,
            "schemas": [self._schema(each) for each in range(len(self._schemas))],
            "default-spec-id": max(self._specs),
            "partition-specs": specs,
            "last-partition-id": 1999,
            "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "properties": self._properties,
            "current-snapshot-id": len(self._snapshots),
            "snapshots": self._snapshots,
            "refs": {"main": {"snapshot-id": len(self._snapshots), "type": "branch"}},
        }
        if self._version == 1:  # which asks for these two as well
            schema = self._schema(len(self._schemas) - 1)
            return metadata | {"schema": schema, "partition-spec": specs[-1]["fields"]}
        return metadata | ({"next-row-id": self._rows} if self._version > 2 else {})
