"""A table in a Spark query: opened by options, sent to executors, with its Arrow columns.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.metadata import Relocation, TableMetadata
from byteloom.iceberg.stored_table import StoredTable
from byteloom.iceberg.table import Table, open_table
from byteloom.iceberg.types import ListType, MapType, NestedField, StructType, Type
from byteloom.limits import Limits
from byteloom.spark.arrow_schemas import VARIANT

__all__ = ["SentTable", "marked_schema", "opened"]

_HISTORY: Final = (
    "current-snapshot-id",
    "metadata-log",
    "partition-statistics",
    "refs",
    "snapshot-log",
    "snapshots",
    "statistics",
)
"""Keys of a table's metadata that reading a plan does not need, and that take most of its bytes."""

_HELD: Final = 8
"""Tables that a worker caches parsed."""


def opened(settings: Mapping[str, Any]) -> Table:
    """Return the table that the options of a query name, in its current state.

    Raises:
        ArgumentError: No option ``path``.
        FormatError: No table there.
    """
    place = settings["path"]
    if not place:
        raise ArgumentError("byteloom.iceberg option path", None, "nothing", "a table: load(PATH)")
    relocate = dict(map(_moved, settings["relocate"] or ()))
    return open_table(
        place if _is_named(place) else os.path.abspath(place),  # noqa: PTH100  (also of a URL's kin)
        relocate=relocate,
        storage_options=settings["storage."],
        allow=settings["allow"],
    )


def _is_named(place: str) -> bool:
    """Return whether a place is a URL or an entry of a catalog, not a path."""
    return "://" in place or place.startswith(("catalog:", "file:"))


def _moved(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        place = "byteloom.iceberg option relocate"
        raise ArgumentError(place, None, repr(text), "OLD=NEW, prefixes of paths")
    return old, new


@dataclass(frozen=True)
class SentTable:
    """The parts of a table that executors need, in compact form.

    Attributes:
        document: Its metadata without its history, as compressed JSON.
        location: Place of its metadata file.
        relocation: Where its files are, and how they are reached.
    """

    document: bytes
    location: str
    relocation: Relocation
    limits: Limits

    @classmethod
    def of(cls, table: StoredTable) -> SentTable:
        """Return *table* in the form that is sent to executors."""
        document = table.metadata.to_json()
        kept = {key: each for key, each in document.items() if key not in _HISTORY}
        access = table.relocation.access
        fresh = replace(access, _made={})  # filesystems are made where they are used
        data = zlib.compress(json.dumps(kept).encode(), level=1)
        relocation = replace(table.relocation, access=fresh)
        return cls(data, table.metadata_location, relocation, table.limits)

    def table(self) -> Table:
        """Return the table, without its history."""
        metadata = _parsed(self.document)
        return Table(metadata, self.location, self.relocation, self.limits)


@lru_cache(maxsize=_HELD)
def _parsed(document: bytes) -> TableMetadata:
    """Return the parsed metadata, which a planner has checked."""
    return TableMetadata.from_json(json.loads(zlib.decompress(document)))


def marked_schema(fields: Iterable[NestedField]) -> pa.Schema:
    """Return the Arrow schema of columns, with UUIDs and variants marked as such."""
    return pa.schema([_marked_field(each) for each in fields])


def _marked_field(field: NestedField) -> pa.Field:
    return arrow_field(field).with_type(_marked(field.type, arrow_field(field).type))


def _marked(of: Type, plain: Any) -> pa.DataType:
    """Return the Arrow type *plain*, with marks for types that Spark has itself."""
    if isinstance(of, StructType):
        return pa.struct([_marked_field(each) for each in of.fields])
    if isinstance(of, ListType):
        return pa.large_list(_marked_field(of.fields[0]))
    if isinstance(of, MapType):
        return pa.map_(*map(_marked_field, of.fields))
    if of.kind == "uuid":
        return pa.uuid()
    if of.kind == "variant":
        marks = {"metadata": VARIANT, "value": None}
        return pa.struct([each.with_metadata(marks[each.name]) for each in plain])
    return plain
