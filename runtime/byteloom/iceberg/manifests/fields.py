"""The fields of manifests and of manifest lists: their ids, their columns, and their types.

The rules:

- ``specs/iceberg/manifests.yaml`` lists the fields, and what each version requires of writers; this
  module says how each type is stored as a column, and which struct a version's writers write.
- Fields of files are found by id; names, old ones included, serve only for files without ids and
  for the tables that are returned.
- Fields that no version writes any more are ignored.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.iceberg.types import (
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    parse_primitive,
)
from byteloom_generated.iceberg import manifests as tables
from byteloom_generated.iceberg.manifests import (
    DATA_FILE,
    FIELD_SUMMARY,
    MANIFEST_ENTRY,
    MANIFEST_FILE,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom_generated.iceberg.manifests import ManifestField, ManifestKey


__all__ = [
    "ENTRY",
    "LIST",
    "PARTITION",
    "SUMMARIES",
    "SUMMARY",
    "Field",
    "entry_type",
    "list_type",
    "map_type",
    "need",
]


@dataclass(frozen=True, slots=True)
class Field:
    """A field: the kind of column that stores it, and the Arrow type it is returned as."""

    id: int
    name: str
    kind: str
    arrow: pa.DataType
    required: bool = False
    where: str = ""
    """The dotted name of the record that the field is in."""
    old_names: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The dotted name."""
        return f"{self.where}.{self.name}" if self.where else self.name

    @property
    def paths(self) -> tuple[str, ...]:
        """The dotted name, and those of old writers, for files without ids."""
        return (self.path, *(f"{self.where}.{each}".lstrip(".") for each in self.old_names))


def map_type(value: pa.DataType) -> pa.DataType:
    """Return the Arrow type of a map of statistics by column id."""
    return pa.map_(pa.int32(), value)


def _kept(rows: Iterable[ManifestField], where: str = "") -> tuple[Field, ...]:
    """Return the fields that some version writes, except those that contain other records here."""
    return tuple(
        Field(each.id, each.name, *_form(each), each.needed, where, each.old_names)
        for each in rows
        if not each.ignored
        and "deprecated" not in {each.v1, each.v2, each.v3}
        and not each.type.startswith("struct")
    )


def _form(row: ManifestField) -> tuple[str, pa.DataType]:
    """Return how a field is stored as a column, and the type it is returned as.

    Ids inside its type (``map<117: int, ...``) are ignored.
    """
    if "struct" in row.type:
        return "rows", pa.large_list(pa.struct([(each.name, each.arrow) for each in SUMMARY]))
    return _FORMS[re.sub(r"\d+: ", "", row.type)]


_FORMS: Final = {
    "boolean": ("long", pa.bool_()),
    "int": ("long", pa.int32()),
    "long": ("long", pa.int64()),
    "float": ("view", pa.float32()),
    "double": ("view", pa.float64()),
    "string": ("view", pa.large_string()),
    "binary": ("view", pa.large_binary()),
    "list<int>": ("list", pa.large_list(pa.int32())),
    "list<long>": ("list", pa.large_list(pa.int64())),
    "map<int, long>": ("map_long", map_type(pa.int64())),
    "map<int, binary>": ("map_bytes", map_type(pa.large_binary())),
}
"""How fields of each type are stored as columns, and the types they are returned as."""

SUMMARY: Final = _kept(FIELD_SUMMARY, "partitions")
"""The fields of a list's summary of one partition field of a manifest."""

ENTRY: Final = _kept(MANIFEST_ENTRY) + _kept(DATA_FILE, "data_file")
"""The fields of an entry and of its file, in the order of the spec, without the partition tuple."""

LIST: Final = _kept(MANIFEST_FILE)
"""The fields of a manifest in a list, in the order of the spec."""

PARTITION: Final = next(each.id for each in DATA_FILE if each.name == "partition")
"""The field id of the partition tuple."""

SUMMARIES: Final = next(each.id for each in MANIFEST_FILE if each.name == "partitions")
"""The field id of a list's summaries."""


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
