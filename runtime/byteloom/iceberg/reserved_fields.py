"""The reserved columns that every table has, as fields with the spec's ids, names and types.

Source: Iceberg table spec, "Reserved Field IDs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.iceberg.types import NestedField, StructType, parse_primitive
from byteloom_generated.iceberg import reserved_fields as tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_generated.iceberg.reserved_fields import ReservedField

__all__ = ["CHANGELOG_COLUMNS", "DELETE_FILE_COLUMNS", "METADATA_COLUMNS", "STORED"]


def _fields(rows: Iterable[ReservedField]) -> dict[str, NestedField]:
    """Return fields by name; structs are empty, since their content differs from table to table."""
    return {
        each.name: NestedField(
            each.id,
            each.name,
            StructType(()) if each.type == "struct" else parse_primitive(each.type),
            each.required,
        )
        for each in rows
    }


METADATA_COLUMNS: Final = _fields(tables.METADATA_COLUMNS)
"""The columns that a scan can return besides the table's own, by name."""

STORED: Final = frozenset(each.id for each in tables.METADATA_COLUMNS if each.is_stored)
"""Ids of those metadata columns that data files may store."""

CHANGELOG_COLUMNS: Final = _fields(tables.CHANGELOG_COLUMNS)
"""The columns that a changelog adds to each row, by name."""

DELETE_FILE_COLUMNS: Final = _fields(tables.DELETE_FILE_COLUMNS)
"""The columns of position delete files, by name."""
