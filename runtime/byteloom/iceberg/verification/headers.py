"""Check the headers of lists and manifests against the metadata file.

The rules:

- A list names the snapshot that it was written for, its parent and its sequence number.  If only
  the list has a sequence number, the metadata lacks it: only writers that number snapshots write
  it.
- A manifest repeats the partition spec of its files; a wrong one would prune the wrong files.
- A manifest repeats the schema of then, that of the snapshot that added it.  Rows as of a snapshot
  are read with its schema: another one hides or renames columns.
- Each field of either has its id in the Avro schema, and partition tuples have no others than
  their spec.
- Values that a header lacks are not checked; a file that cannot be read is reported elsewhere.

Source: Iceberg table spec, "Manifests"; Java's ``ManifestLists``, which repeats the snapshot.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from byteloom.avro.container import open_avro
from byteloom.errors import ByteloomError, FormatError, beginning
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.verification.field_ids import check_field_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = [
    "check_list_header",
    "check_manifest_header",
    "check_schema_id",
    "read_header",
    "written_schema",
]

_AVRO: Final = "avro.schema"
_SPEC: Final = "partition-spec"


def check_list_header(table: StoredTable, snapshot: Snapshot) -> Iterator[ByteloomError]:
    """Yield contradictions between the header of a snapshot's list and the snapshot."""
    path = snapshot.manifest_list
    header = {} if path is None else read_header(table, path)
    if path is not None and _AVRO in header:
        for error in check_field_ids(header[_AVRO], is_list=True):
            yield error.in_file(path)
    expected = {
        "snapshot-id": snapshot.snapshot_id,
        "parent-snapshot-id": snapshot.parent_snapshot_id,
        "sequence-number": snapshot.sequence_number,
    }
    for key, wanted in expected.items():
        text = header.get(key, b"").decode(errors="replace")
        if not text.isdecimal() or text == str(wanted):
            continue
        if key == "sequence-number" and not wanted:
            where = f"snapshots[{snapshot.snapshot_id}].{key}"
            yield FormatError(where, None, "nothing, or 0", f"{text}, as {path} says")
        else:
            yield FormatError(key, None, text, f"the snapshot's ({wanted})").in_file(str(path))


def check_manifest_header(
    table: StoredTable, path: str, spec_id: int, header: dict[str, bytes]
) -> Iterator[ByteloomError]:
    """Yield an error if a manifest's spec or schema differs from the table's, or it lacks ids."""
    spec = table.metadata.partition_specs.get(spec_id)
    if _AVRO in header:
        for error in check_field_ids(header[_AVRO], spec, is_list=False):
            yield error.in_file(path)
    written = written_schema(header)
    known = None if written is None else table.metadata.schemas.get(written.schema_id)
    if written is not None and known is not None and _names(known) != _names(written):
        found = f"columns {', '.join(_names(written).values())}"
        wanted = f"{', '.join(_names(known).values())}, as the metadata says of schema"
        yield FormatError("schema", None, found, f"{wanted} {written.schema_id}").in_file(path)
    text = header.get(_SPEC)
    if text is None or spec is None:
        return
    try:
        document = json.loads(text)
        fields = document.get("fields") if isinstance(document, dict) else document
        repeated = PartitionSpec.from_json({"spec-id": spec_id, "fields": fields})
    except (ValueError, RecursionError):
        yield FormatError(_SPEC, None, beginning(text), "JSON").in_file(path)
        return
    except FormatError as error:
        yield error.in_file(path)
        return
    if _compared(repeated) != _compared(spec):
        wanted = f"{_text(spec)}, as the metadata says of spec {spec_id}"
        yield FormatError(_SPEC, None, _text(repeated), wanted).in_file(path)


def check_schema_id(
    table: StoredTable, snapshot: Snapshot, written: Sequence[Schema | None]
) -> Iterator[FormatError]:
    """Yield an error if a snapshot has another schema than all manifests that it added.

    Args:
        written: The schemas in the headers of these manifests; None for unknown.
    """
    schemas = table.metadata.schemas
    schema = None if snapshot.schema_id is None else schemas.get(snapshot.schema_id)
    others = [each for each in written if each is not None]
    if schema is None or not others or len(others) < len(written):
        return
    now = [schemas.get(each.schema_id, each) for each in others]
    if all(each.fields != schema.fields for each in now):
        where = f"snapshots[{snapshot.snapshot_id}].schema-id"
        ids = ", ".join(map(str, sorted({each.schema_id for each in others})))
        wanted = f"{ids}, as the manifests that it added say; rows as of it lose columns"
        yield FormatError(where, None, str(snapshot.schema_id), wanted)


def read_header(table: StoredTable, path: str) -> dict[str, bytes]:
    """Return the entries of a header; empty if it cannot be read."""
    try:
        return open_avro(table.relocation.read(path)).metadata
    except ByteloomError:
        return {}


def written_schema(header: dict[str, bytes]) -> Schema | None:
    """Return the schema in the header of a manifest; None if it has none, or without its id."""
    return _parsed_schema(header.get("schema", b""))


def _names(schema: Schema) -> dict[int, str]:
    """Return the names of the columns by id; their types are compared with those in files."""
    return {each.id: each.name for each in schema.fields}


@lru_cache(maxsize=8)
def _parsed_schema(text: bytes) -> Schema | None:
    """Return a schema; manifests share their text."""
    try:
        document = json.loads(text)
        return Schema.from_json(document) if "schema-id" in document else None
    except (ByteloomError, ValueError, TypeError, RecursionError):
        return None


def _compared(spec: PartitionSpec) -> list[Any]:
    """Return the parts of a spec that decide how it partitions."""
    return [(each.source_ids, each.field_id, str(each.transform)) for each in spec.fields]


def _text(spec: PartitionSpec) -> str:
    """Return the fields of a spec as short text."""
    fields = (
        f"{each.field_id}: {each.transform}({', '.join(map(str, each.source_ids))})"
        for each in spec.fields
    )
    return f"[{', '.join(fields)}]"
