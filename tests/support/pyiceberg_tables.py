"""Tables that pyiceberg writes of the columns of `tests.support.iceberg_filters`.

The rules:

- A spec is text, ``bucket[3](id)`` joined by blanks; each spec gets two appends of eight rows, most
  of them in a partition of their own.
- Rows come from a fixed seed: nulls and NaNs among them, the least and the greatest values, moments
  before 1970. Where floats make partitions there are no NaN, with which pyiceberg fails, and no
  -0.0, whose rows it writes into the partition of 0.0 too.
- Statistics differ from column to column: whole, cut short, counts alone, none.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.transforms import parse_transform
from tests.support.iceberg_filters import POOLS, SCHEMA
from tests.support.iceberg_writer import FolderCatalog

from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.types import NestedField, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyiceberg.table import Table

__all__ = ["COLUMNS", "SPECS", "Written", "written"]

COLUMNS: Final = tuple(each.name for each in SCHEMA.fields if each.name != "ns")
"""The columns; pyiceberg writes no version that has nanoseconds."""

SPECS: Final = {
    "unpartitioned": "",
    "identity of bytes": "identity(name) identity(flag) identity(fixed) identity(binary)",
    "identity of numbers": "identity(id) identity(long) identity(price)",
    "identity of floats": "identity(float)",
    "identity of doubles": "identity(double)",
    "identity of moments": "identity(day) identity(time) identity(ts) identity(tz)",
    "bucket of numbers": "bucket[3](id) bucket[3](long) bucket[3](price)",
    "bucket of bytes": "bucket[3](name) bucket[3](fixed) bucket[3](binary)",
    "bucket of UUIDs": "bucket[3](uuid)",
    "bucket of moments": "bucket[3](day) bucket[3](ts) bucket[3](tz)",
    "truncate": "truncate[10](id) truncate[10](long) truncate[3](price) truncate[1](name)",
    "year, month, day": "year(day) month(ts) day(tz)",
    "month, day, hour": "month(day) day(ts) hour(tz)",
    "day, hour, year": "day(day) hour(ts) year(tz)",
    "void": "void(name) void(long) void(flag) void(ts)",
}
"""All transforms, over all types of which pyiceberg writes them."""

_METRICS: Final = {
    "write.metadata.metrics.default": "full",
    "write.metadata.metrics.column.name": "truncate(1)",
    "write.metadata.metrics.column.binary": "truncate(16)",
    "write.metadata.metrics.column.long": "counts",
    "write.metadata.metrics.column.time": "none",
}


@dataclass(frozen=True)
class Written:
    """A table, and the rows that were put into it."""

    table: Table
    rows: list[dict[str, Any]] = field(default_factory=list)


def written(root: Path, *specs: str, version: int, columns: Sequence[str] = COLUMNS) -> Written:
    """Write a table that has one spec after another; *specs* are names in `SPECS`."""
    document = SCHEMA.to_json()
    document["fields"] = [each for each in document["fields"] if each["name"] in columns]
    schema = Schema.model_validate(document)
    properties = {**_METRICS, "format-version": str(version)}
    made = Written(FolderCatalog(root).create("t", schema, properties=properties))
    chosen = random.Random(version)
    for number, name in enumerate(specs):
        _partition(made.table, SPECS[name], number)
        for _ in range(2):
            rows = [
                _row(
                    chosen, columns, is_plain=name in {"identity of floats", "identity of doubles"}
                )
                for _ in range(8)
            ]
            made.table.append(_columns(made.table, rows))
            made.rows.extend(rows)
    return made


def _partition(table: Table, spec: str, number: int) -> None:
    """Replace the partition spec of a table."""
    with table.update_spec() as update:
        for held in table.spec().fields:
            update.remove_field(held.name)
        for index, each in enumerate(spec.split()):
            transform, _, column = each.removesuffix(")").partition("(")
            update.add_field(column, parse_transform(transform), f"part_{number}_{index}")


def _row(chosen: random.Random, columns: Sequence[str], *, is_plain: bool) -> dict[str, Any]:
    """A row."""

    def value(of: NestedField) -> Any:
        if not of.required and chosen.random() < 0.2:
            return None
        if isinstance(of.type, StructType):
            return {each.name: value(each) for each in of.type.fields}
        pool = POOLS[of.type.kind]
        if of.type.kind in {"float", "double"}:
            pool = [each for each in pool if str(each) != "-0.0"] if is_plain else [*pool, math.nan]
        return chosen.choice(pool)

    return {each.name: value(each) for each in SCHEMA.fields if each.name in columns}


def _columns(table: Table, rows: list[dict[str, Any]]) -> pa.Table:
    """Rows as the table wants them."""
    schema = table.schema().as_arrow()
    columns = []
    for each in schema:
        values, of = [row[each.name] for row in rows], SCHEMA.find(each.name)
        assert of is not None
        is_struct = isinstance(of.type, StructType)
        columns.append(pa.array(values, each.type) if is_struct else storage_array(of.type, values))
    cast = [held.cast(each.type) for held, each in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(cast, schema=schema)
