"""The fields of manifests and of manifest lists: their ids, and how they are stored as columns.

The rules:

- ``specs/iceberg/manifests.yaml`` lists the fields; this module says how each type is stored.
- Files are read by id; names, also old ones, are used only for files without ids and for the tables
  that are returned.
- Fields that no version writes any more are ignored.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom_generated.iceberg.manifests import (
    DATA_FILE,
    FIELD_SUMMARY,
    MANIFEST_ENTRY,
    MANIFEST_FILE,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_generated.iceberg.manifests import ManifestField

__all__ = ["ENTRY", "LIST", "PARTITION", "SUMMARIES", "SUMMARY", "Field", "map_type"]


@dataclass(frozen=True, slots=True)
class Field:
    """A field: how it is kept (a kind of `Target`), and as what it is shown."""

    id: int
    name: str
    kind: str
    arrow: pa.DataType
    required: bool = False
    where: str = ""
    """The dotted name of the record that it is in."""
    old_names: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The dotted name."""
        return f"{self.where}.{self.name}" if self.where else self.name

    @property
    def paths(self) -> tuple[str, ...]:
        """The dotted name and those that old writers used, for files without ids."""
        return (self.path, *(f"{self.where}.{each}".lstrip(".") for each in self.old_names))


def map_type(value: pa.DataType) -> pa.DataType:
    """Return the type of a statistic by column id."""
    return pa.map_(pa.int32(), value)


def _kept(rows: Iterable[ManifestField], where: str = "") -> tuple[Field, ...]:
    """The fields that some version writes, but for those that are records of others."""
    return tuple(
        Field(each.id, each.name, *_form(each), each.needed, where, each.old_names)
        for each in rows
        if not each.ignored
        and "deprecated" not in {each.v1, each.v2, each.v3}
        and not each.type.startswith("struct")
    )


def _form(row: ManifestField) -> tuple[str, pa.DataType]:
    """How a field is kept, and shown; ids inside of its type (``map<117: int, ...``) aside."""
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
"""How fields are kept and shown, by type."""

SUMMARY: Final = _kept(FIELD_SUMMARY, "partitions.element")
"""What a list says of one partition field of a manifest."""

ENTRY: Final = _kept(MANIFEST_ENTRY) + _kept(DATA_FILE, "data_file")
"""An entry and its file, in the order of the spec; the partition tuple aside."""

LIST: Final = _kept(MANIFEST_FILE)
"""A manifest in a list, in the order of the spec."""

PARTITION: Final = next(each.id for each in DATA_FILE if each.name == "partition")
"""The id of the partition tuple."""

SUMMARIES: Final = next(each.id for each in MANIFEST_FILE if each.name == "partitions")
"""The id of a list's summaries."""
