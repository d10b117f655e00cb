"""Check the headers of lists and manifests against the metadata file, and the spec's field ids.

The rules:

- A list names the snapshot that it was written for, its parent and its sequence number.  If only
  the list has a sequence number, the metadata lacks it: only writers that number snapshots write
  it.
- A manifest repeats the partition spec of its files; a wrong one would prune the wrong files.
- A manifest repeats the schema of then, that of the snapshot that added it.  Rows as of a snapshot
  are read with its schema: another one hides or renames columns.
- A field that has the name of one of the spec has its id in the Avro schema, too.  byteloom takes
  names where a file has no ids at all; other readers lose the field, and its values, or refuse the
  file.  Fields of partition tuples have any names, but ids of fields of their spec.
- Values that a header lacks are not checked; a file that cannot be read is reported elsewhere.

Source: Iceberg table spec, "Manifests", "Manifest Lists" and "Appendix A", Avro; Java's
``ManifestLists``, which repeats the snapshot.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.avro.container import open_avro
from byteloom.errors import ByteloomError, FormatError, beginning
from byteloom.iceberg.manifests.fields import LIST, PARTITION, entry_type, list_type
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import ListType, MapType, NestedType, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField, Type
    from byteloom_generated.iceberg.table_metadata import Snapshot


__all__ = [
    "check_field_ids",
    "check_list_header",
    "check_manifest_header",
    "check_schema_id",
    "read_header",
    "written_schema",
]

_VERSIONS: Final = (1, 2, 3)
_Ids: TypeAlias = "frozenset[int] | None"
_ID: Final = "field-id"
_OLD_NAMES: Final = {old: each.name for each in LIST for old in each.old_names}


def check_field_ids(
    schema: bytes, spec: PartitionSpec | None = None, *, is_list: bool
) -> Iterator[FormatError]:
    """Yield an error for each field of a file that lacks its id or has another.

    Args:
        schema: The Avro schema, valid JSON.
        spec: That of a manifest's partition tuples; None if it is unknown.
        is_list: Whether the file is a manifest list.
    """
    if f'"{_ID}"'.encode() not in schema:
        readers = "PyIceberg and DuckDB cannot read the file"
        yield FormatError("avro.schema", None, "no field ids", f"one of each field; {readers}")
        return
    ids = None if spec is None else frozenset(each.field_id for each in spec.fields)
    for where, found, wanted in _wrong(schema, ids, is_list=is_list):
        text = "no id" if found is None else f"id {found!r}"
        readers = "by which other readers find the field"
        yield FormatError(f"avro.schema.{where}", None, text, f"id {wanted}, {readers}")


@lru_cache(maxsize=8)
def _wrong(schema: bytes, ids: _Ids, *, is_list: bool) -> tuple[tuple[str, Any, Any], ...]:
    """Return the place, the id and the wanted id of each wrong field; manifests share schemas.

    Args:
        ids: Those of the fields of partition tuples; None if they are unknown.
    """
    found: dict[str, tuple[str, Any, Any]] = {}
    types = [list_type(each) if is_list else entry_type(each, StructType(())) for each in _VERSIONS]
    for of in types:
        found |= {each[0]: each for each in _of_type(json.loads(schema), of, "", ids)}
    return tuple(found.values())


def _of_type(avro: Any, of: Type, where: str, ids: _Ids) -> Iterator[tuple[str, Any, Any]]:
    """Yield what is wrong inside a value that is stored as an Avro type."""
    if isinstance(avro, list):
        avro = next((each for each in avro if each != "null"), None)
    if not isinstance(avro, dict):
        return
    if isinstance(of, ListType):
        yield from _of_type(avro.get("items"), of.element, where, ids)
    elif isinstance(of, NestedType):
        record = avro.get("items") if isinstance(of, MapType) else avro
        yield from _of_fields(record, {each.name: each for each in of.fields}, where, ids)


def _of_fields(
    record: Any, fields: dict[str, NestedField], where: str, ids: _Ids
) -> Iterator[tuple[str, Any, Any]]:
    """Yield what is wrong with the fields of a record that have known names."""
    for each in record.get("fields", ()) if isinstance(record, dict) else ():
        name = str(each.get("name"))
        known, path = fields.get(_OLD_NAMES.get(name, name)), f"{where}{name}"
        if known is None:
            continue
        if each.get(_ID) != known.id:
            yield path, each.get(_ID), known.id
        if known.id == PARTITION:
            yield from _of_partition(each.get("type"), path, ids)
        else:
            yield from _of_type(each.get("type"), known.type, f"{path}.", ids)


def _of_partition(record: Any, where: str, ids: _Ids) -> Iterator[tuple[str, Any, Any]]:
    """Yield the fields of a partition tuple that have no ids, or none of their spec."""
    for each in record.get("fields", ()) if isinstance(record, dict) else ():
        found = each.get(_ID)
        if not isinstance(found, int):
            yield f"{where}.{each.get('name')}", found, "of its partition field"
        elif ids is not None and found not in ids:
            yield f"{where}.{each.get('name')}", found, "of a field of the manifest's spec"


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
