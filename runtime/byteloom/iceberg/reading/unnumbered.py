"""Assign ids to the columns of a file without ids, in a table without a name mapping.

The rules:

- A column belongs to the field that has its name or had it in an older schema; if several fields
  had the name, to the newest of them.  Nested fields are found by their names as well.
- Parquet columns are also counted, from 1, since Java uses only their places: a file in which a
  name and a place give different fields is refused, since either may be meant.

Source: Iceberg table spec, "Column Projection", which leaves it open; Java's ``MappingUtil.create``
for ORC and Avro, its ``ParquetSchemaUtil.addFallbackIds`` for Parquet.
"""

from __future__ import annotations

from functools import cached_property, reduce
from typing import TYPE_CHECKING

from byteloom.datafiles.fields import field_id
from byteloom.errors import FormatError
from byteloom.iceberg.name_mapping import NAME_MAPPING_PROPERTY, NameMapping, following

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from byteloom.iceberg.name_mapping import MappedField
    from byteloom.iceberg.schema import Schema

__all__ = ["NamesAlone"]


class NamesAlone(NameMapping):
    """The current and former names of a table's fields, in place of a name mapping.

    They are collected only for a file without ids, since a wide table has many.
    """

    def __init__(self, schema: Schema, older: Iterable[Schema]) -> None:
        """Keep the schema by which rows are read, and the table's older ones, the oldest first."""
        vars(self)["_schemas"] = (*older, schema)

    @cached_property
    def fields(self) -> tuple[MappedField, ...]:
        """The names of each field."""
        schemas: tuple[Schema, ...] = vars(self)["_schemas"]
        return reduce(following, (each.fields for each in schemas), NameMapping(())).fields

    def check_places(self, columns: Sequence[pa.Field]) -> None:
        """Refuse a file with a column whose name and place belong to different fields.

        Args:
            columns: All columns of the file, in order, with the ids that follow from their names.
        """
        ids = {each.id for each in vars(self)["_schemas"][-1].fields}
        for place, column in enumerate(columns, 1):
            named = field_id(column)
            if named != place and not ids.isdisjoint({named, place}):
                found = f"column {column.name!r} without an id at place {place}"
                by_name = f"field {named} by its name" if named >= 0 else "no field by its name"
                wanted = f"ids, or the property {NAME_MAPPING_PROPERTY}: it is {by_name}"
                raise FormatError("schema", None, found, wanted)
