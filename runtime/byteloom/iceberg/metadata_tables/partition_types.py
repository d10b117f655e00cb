"""The partition struct of a whole table: the fields of all its specs.

The rules:

- A field is identified by its id, and has its name in the newest spec with that id; fields are in
  the order of their ids.
- A field that became void keeps its earlier type.
- A field whose source column was dropped is left out.

Source: Iceberg table spec, "Partition Evolution"; Java's ``Partitioning.partitionType``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, found_by
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.transforms import Void
from byteloom.iceberg.types import NestedField, StructType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.partition_spec import PartitionField

__all__ = ["partition_column", "table_partition_type"]


def table_partition_type(metadata: TableMetadata) -> StructType:
    """Return the struct with the fields of all specs."""
    schema = metadata.schema()
    found: dict[int, tuple[PartitionField, NestedField]] = {}
    for spec in sorted(metadata.partition_specs.values(), key=lambda each: -each.spec_id):
        for field, made in zip(spec.fields, spec.partition_type(schema).fields, strict=True):
            if schema.find(field.source_id) is None:
                continue
            known = found.get(field.field_id)
            if known is None:
                found[field.field_id] = (field, made)
            elif isinstance(known[0].transform, Void) and not isinstance(field.transform, Void):
                renamed = NestedField(made.id, known[1].name, made.type)
                found[field.field_id] = (field, renamed)
    return StructType(tuple(made for _, (_, made) in sorted(found.items())))


def partition_column(
    entries: Entries, of: StructType, rows: NDArray[np.intp] | None = None
) -> pa.StructArray:
    """Return the partition of each entry as a struct of type *of*; fields not in its spec are null.

    Args:
        rows: Rows of the wanted entries; all if None.
    """
    specs = entries.spec_id
    taken = np.arange(len(specs)) if rows is None else rows
    parts, places = [], []
    for spec_id in np.unique(specs).tolist():
        at, tuples = entries.partition(spec_id)
        parts.append(_as_struct(tuples, of))
        places.append(at)
    if not parts:
        return pa.array([], pa.struct([arrow_field(each) for each in of.fields]))
    order = np.empty(len(specs), np.int64)
    order[np.concatenate(places)] = np.arange(len(specs))
    return pa.concat_arrays(parts).take(pa.array(order[taken]))


def _cast(column: pa.Array, field: pa.Field) -> pa.Array:
    """Return values of one spec in the type for all specs."""
    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        where = f"partition.{field.name}"
        found = found_by(f"values of type {column.type}", error)
        raise FormatError(where, None, found, f"values of type {field.type}") from error


def _as_struct(tuples: pa.StructArray, of: StructType) -> pa.StructArray:
    """Return tuples of one spec as structs with all fields of the table."""
    by_id = {
        int(each.metadata[b"PARQUET:field_id"]): number for number, each in enumerate(tuples.type)
    }
    columns, fields = [], []
    for each in of.fields:
        field = arrow_field(NestedField(each.id, each.name, each.type))
        held = by_id.get(each.id)
        column = pa.nulls(len(tuples), field.type) if held is None else tuples.field(held)
        columns.append(_cast(column, field))
        fields.append(field)
    return pa.StructArray.from_arrays(columns, fields=fields)
