"""Check the field ids in the Avro schema of a manifest or a manifest list.

The rules:

- A field that has the name of one of the spec has its id, too.  byteloom takes names where a file
  has no ids at all; other readers lose the field, and its values, or refuse the file.
- Fields of partition tuples have any names, but ids of fields of their spec.

Source: Iceberg table spec, "Manifests", "Manifest Lists" and "Appendix A", Avro.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.errors import FormatError
from byteloom.iceberg.manifests.fields import LIST, PARTITION
from byteloom.iceberg.manifests.schemas import entry_type, list_type
from byteloom.iceberg.types import ListType, MapType, NestedType, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.types import NestedField, Type

__all__ = ["check_field_ids"]

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
