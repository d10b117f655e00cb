"""Avro container files: the manifests and manifest lists of Iceberg, and any others.

- Manifests and manifest lists are recognised by the fields of their schema, and their values are
  checked; of any other Avro file the records are counted by its schema.
"""

from __future__ import annotations

from typing import Any, Final

from byteloom.avro.blocks import AvroBlocks
from byteloom.avro.checking import check_records
from byteloom.avro.container import AvroFile, open_avro
from byteloom.avro.headers import parse_property
from byteloom.errors import FormatError, beginning
from byteloom.iceberg.manifests.checks import CONTENTS
from byteloom.iceberg.manifests.containers import read_container
from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.manifests.manifest_list import ManifestList, read_manifest_list
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.late import pa, pc
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage import Source
from byteloom.storage.sources import read_whole
from byteloom.verification.damage import counted
from byteloom_generated.iceberg.manifests import EntryStatus, ManifestContent

__all__ = ["ENTRY", "LIST", "entries_of", "kind_of_records", "schema_of", "spec_of", "verify"]

LIST: Final = "manifest_file"
ENTRY: Final = "manifest_entry"
"""Names of the records of manifest lists and of manifests."""


def verify(source: Source) -> str:
    """Check every block and record, and every value of manifests and their lists."""
    blocks = AvroBlocks(source, DEFAULT_LIMITS)
    kind = kind_of_records(blocks.schema)
    if kind in {ENTRY, LIST}:
        return _verify_manifest(source, kind)
    checked = check_records(blocks, DEFAULT_LIMITS)
    note = "" if checked.unchecked is None else f" (records not decoded: {checked.unchecked})"
    return _summary(checked.records, checked.blocks) + note


def _verify_manifest(source: Source, kind: str) -> str:
    """Check every value of a manifest or a manifest list."""
    data = read_whole(source)
    blocks = read_container(data, DEFAULT_LIMITS).blocks
    summary = _summary(int(blocks[:, 0].sum()), len(blocks))
    if kind == ENTRY:
        entries_of(data, open_avro(data), source.name)
        return f"manifest, {summary}"
    read_manifest_list(data, source.name)
    return f"manifest list, {summary}"


def _summary(records: int, blocks: int) -> str:
    """Return how much there is of both."""
    return f"{counted(records, 'record')}, {counted(blocks, 'block')}"


def kind_of_records(schema: Any) -> str:
    """Return the name of the records of a schema, or of the Iceberg kind whose fields they have."""
    held = schema if isinstance(schema, dict) else {}
    fields = held.get("fields")
    listed = fields if isinstance(fields, list) else []
    names = {str(each.get("name")) for each in listed if isinstance(each, dict)}
    if {"status", "data_file"} <= names:
        return ENTRY
    return LIST if {"manifest_path", "manifest_length"} <= names else str(held.get("name"))


def entries_of(data: bytes, file: AvroFile, path: str) -> pa.Table:
    """Return the entries of a manifest as they are stored, partitions and all.

    path  the name of the manifest, for errors
    """
    spec, schema = spec_of(file), schema_of(file)
    listed = ManifestList.of_paths([path])
    bare = listed.table
    content = CONTENTS.get(file.metadata.get("content", b""), ManifestContent.DATA)
    at = bare.column_names.index("content")
    bare = bare.set_column(at, "content", pa.array([content], bare.schema.field("content").type))
    entries = read_entries(
        ManifestList("", bare),
        lambda _: data,
        {spec.spec_id: spec},
        schema,
        columns=ALL_COLUMNS,
        with_deleted=True,
        threads=1,
        limits=DEFAULT_LIMITS,
    )
    held = entries.table().drop_columns(["manifest"])
    inherited = pa.array((entries.status == EntryStatus.ADDED) & (entries.sequence_number == 0))
    for name in ("sequence_number", "file_sequence_number"):
        at, column = held.column_names.index(name), held.column(name)
        held = held.set_column(
            at, name, pc.if_else(inherited, pa.scalar(None, column.type), column)
        )
    rows, tuples = entries.partition(spec.spec_id)
    if len(rows) and spec.fields:
        held = held.append_column("partition", tuples)
    return held


def spec_of(file: AvroFile) -> PartitionSpec:
    """Return the partition spec of a manifest's header."""
    number = _json(file, "partition-spec-id", 0)
    if type(number) is not int or not 0 <= number < 1 << 31:
        raise FormatError("partition-spec-id", None, beginning(number, 60), "0 to 2147483647")
    fields = _json(file, "partition-spec", [])
    if not isinstance(fields, list):
        raise FormatError("partition-spec", None, beginning(fields, 60), "a list of fields")
    return PartitionSpec.from_fields(fields, number)


def schema_of(file: AvroFile) -> Schema:
    """Return the table's schema in a manifest's header; an empty one if there is none."""
    document = _json(file, "schema", None)
    return Schema(()) if document is None else Schema.from_json(document)


def _json(file: AvroFile, key: str, absent: object) -> Any:
    """Return a value of the header, parsed."""
    text = file.metadata.get(key)
    if text is None:
        return absent
    return parse_property(key, text, bytes(file.data[: file.first_block]))
