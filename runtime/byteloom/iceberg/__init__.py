"""Iceberg tables: metadata, manifests, predicates, planning and reading, versions 1 to 3.

- `catalog_of`: a catalog of pyiceberg, to which tables are committed.
- `create_table`: a new table in a folder; its `append` adds rows.
- `open_table`: a table, by metadata file, folder or catalog entry, as a `Table`.
- `Table`: its scans, its metadata tables, and its check, `verify`.
- `TableScan`: rows and columns to read; `TableMetadata`: what the metadata file of a table has.
- `parse`, `col`, `bucket`, `truncate`, `year`, `month`, `day`, `hour`: filters, from text and from
  Python; `from_json`, `to_json`: their JSON; `bind` gives one the fields of a schema, and
  `evaluate` the rows of a batch for which it holds.
- `Schema`, `NestedField` and the types, as `DecimalType`; `PartitionSpec`, `SortOrder`,
  `NameMapping` and their fields; `parse_transform`, `apply_array`, `apply_value`: transforms.

Example:
    The command `byteloom samples` writes this table.

    >>> from byteloom.iceberg import col, day, open_table
    >>> orders = open_table("byteloom-samples/orders")
    >>> found = orders.scan((day("placed_at") == "2023-11-15") & (col("country") == "NO"))
    >>> found.count(), [each.record_count for each in found.plan()]
    (125, [500, 500])

Source: Iceberg table spec.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from byteloom.iceberg.expressions import (
    bucket,
    col,
    day,
    hour,
    month,
    parse,
    truncate,
    year,
)

if TYPE_CHECKING:
    from byteloom.iceberg.commits.catalogs import catalog_of
    from byteloom.iceberg.expressions import Expression, ExpressionError, bind, from_json, to_json
    from byteloom.iceberg.expressions.rows import evaluate
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.name_mapping import MappedField, NameMapping
    from byteloom.iceberg.partition_spec import PartitionField, PartitionSpec
    from byteloom.iceberg.scan import TableScan
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.sort_order import SortField, SortOrder
    from byteloom.iceberg.table import Table, create_table, open_table
    from byteloom.iceberg.transforms import Transform, apply_array, apply_value, parse_transform
    from byteloom.iceberg.types import (
        BinaryType,
        BooleanType,
        DateType,
        DecimalType,
        DoubleType,
        FixedType,
        FloatType,
        GeographyType,
        GeometryType,
        IntegerType,
        ListType,
        LongType,
        MapType,
        NestedField,
        StringType,
        StructType,
        TimestampNsType,
        TimestampType,
        TimestamptzNsType,
        TimestamptzType,
        TimeType,
        Type,
        UnknownType,
        UuidType,
        VariantType,
        parse_primitive,
    )

__all__ = [
    "BinaryType",
    "BooleanType",
    "DateType",
    "DecimalType",
    "DoubleType",
    "Expression",
    "ExpressionError",
    "FixedType",
    "FloatType",
    "GeographyType",
    "GeometryType",
    "IntegerType",
    "ListType",
    "LongType",
    "MapType",
    "MappedField",
    "NameMapping",
    "NestedField",
    "PartitionField",
    "PartitionSpec",
    "Schema",
    "SortField",
    "SortOrder",
    "StringType",
    "StructType",
    "Table",
    "TableMetadata",
    "TableScan",
    "TimeType",
    "TimestampNsType",
    "TimestampType",
    "TimestamptzNsType",
    "TimestamptzType",
    "Transform",
    "Type",
    "UnknownType",
    "UuidType",
    "VariantType",
    "apply_array",
    "apply_value",
    "bind",
    "bucket",
    "catalog_of",
    "col",
    "create_table",
    "day",
    "evaluate",
    "from_json",
    "hour",
    "month",
    "open_table",
    "parse",
    "parse_primitive",
    "parse_transform",
    "to_json",
    "truncate",
    "year",
]

_MODULES: Final = {
    "commits.catalogs": "catalog_of",
    "expressions": "Expression ExpressionError bind from_json to_json",
    "expressions.rows": "evaluate",
    "metadata": "TableMetadata",
    "name_mapping": "MappedField NameMapping",
    "partition_spec": "PartitionField PartitionSpec",
    "scan": "TableScan",
    "schema": "Schema",
    "sort_order": "SortField SortOrder",
    "table": "Table create_table open_table",
    "transforms": "Transform apply_array apply_value parse_transform",
    "types": (
        "BinaryType BooleanType DateType DecimalType DoubleType FixedType FloatType "
        "GeographyType GeometryType IntegerType ListType LongType MapType NestedField "
        "StringType StructType TimestampNsType TimestampType TimestamptzNsType "
        "TimestamptzType TimeType Type UnknownType UuidType VariantType parse_primitive"
    ),
}
_LATER: Final = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load the modules that plan and read at their first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_LATER[name]}"), name))


def __dir__() -> list[str]:
    return __all__
