"""The schemas of manifests and manifest lists in each format version, as Iceberg's types.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom.iceberg.types import (
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    parse_primitive,
)
from byteloom_generated.iceberg import manifests as tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom_generated.iceberg.manifests import ManifestField, ManifestKey

__all__ = ["entry_type", "list_type", "need"]

_LIST: Final = re.compile(r"list<(\d+): (.+)>")
_MAP: Final = re.compile(r"map<(\d+): (\w+), (\d+): (\w+)>")
_STRUCT: Final = re.compile(r"struct<(\w+)>")


def need(row: ManifestField | ManifestKey, version: int) -> str | None:
    """Return what a version requires of writers for a field; None if it lacks the field."""
    stated: str | None = getattr(row, f"v{version}")
    return stated


def entry_type(version: int, partition: StructType) -> StructType:
    """Return the struct of the entries of a manifest whose tuples are *partition*."""
    inner = {"partition": partition}
    file = _struct(tables.DATA_FILE, version, inner)
    return _struct(tables.MANIFEST_ENTRY, version, {"data_file": file})


def list_type(version: int) -> StructType:
    """Return the struct of the records of a manifest list."""
    summary = _struct(tables.FIELD_SUMMARY, version, {})
    return _struct(tables.MANIFEST_FILE, version, {"field_summary": summary})


def _struct(
    rows: Iterable[ManifestField], version: int, inner: Mapping[str, StructType]
) -> StructType:
    """Return the struct of the fields that a version's writers write."""
    return StructType(
        tuple(
            NestedField(
                each.id, each.name, _type(each.type, inner), need(each, version) == "required"
            )
            for each in rows
            if need(each, version) in {"required", "optional"}
        )
    )


def _type(text: str, inner: Mapping[str, StructType]) -> Type:
    """Return a type by its text in the table, which contains ids."""
    if found := _LIST.fullmatch(text):
        return ListType(int(found[1]), _type(found[2], inner), element_required=True)
    if found := _MAP.fullmatch(text):
        key, value = parse_primitive(found[2]), parse_primitive(found[4])
        return MapType(int(found[1]), key, int(found[3]), value, value_required=True)
    if found := _STRUCT.fullmatch(text):
        return inner[found[1]]
    return parse_primitive(text)
