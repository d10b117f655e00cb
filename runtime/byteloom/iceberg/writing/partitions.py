"""Rows by partition, and in the order of the table.

The rules:

- Rows of one partition are those whose partition fields have equal results; null is one of them,
  and so is NaN.
- Within a partition rows keep their order, or have that of the table's sort order. NaN is above all
  numbers.

Source: Iceberg table spec, "Partitioning" and "Sorting".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.transforms import Void, apply_array
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.iceberg.writing.repetition import taken
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from byteloom.iceberg.partition_spec import PartitionField, PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.sort_order import SortField, SortOrder

__all__ = ["partitions_of", "sorted_rows"]


def partitions_of(
    rows: pa.Table, spec: PartitionSpec, schema: Schema, again: AbstractSet[str]
) -> Iterator[tuple[tuple[Any, ...], pa.Table]]:
    """Yield the storage values of each partition, and its rows in their order.

    Args:
        rows: The table's columns.
        spec: The partition spec.
        schema: The table's schema.
        again: The columns whose values come again, as `repeated` returned them.
    """
    if not spec.fields:
        yield (), rows
        return
    results = {each.field_id: _result(rows, each, schema) for each in _dividing(spec)}
    groups = np.zeros(rows.num_rows, np.int64)
    for each in results.values():
        codes = each.dictionary_encode("encode").indices.to_numpy()
        groups = _together(groups, codes)
    sizes = np.bincount(groups)
    order = np.argsort(groups.astype(np.min_scalar_type(len(sizes))), kind="stable")
    starts = np.cumsum(sizes) - sizes
    firsts = pa.array(order[starts])
    values: list[Sequence[Any]] = [[None] * len(starts)] * len(spec.fields)
    for number, field in enumerate(spec.fields):
        if field.field_id in results:
            of = field.transform.result_type(_source(field, schema).type)
            values[number] = storage_values(of, results[field.field_id].take(firsts))
    divided = rows if len(starts) == 1 else taken(rows, order, again)
    ends = [*starts[1:], rows.num_rows]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        yield tuple(each[number] for each in values), divided.slice(start, end - start)


def _dividing(spec: PartitionSpec) -> list[PartitionField]:
    """Return the fields that divide rows; a void one is null, and needs no column."""
    return [each for each in spec.fields if not isinstance(each.transform, Void)]


def _together(groups: NDArray[np.int64], codes: NDArray[Any]) -> NDArray[np.int64]:
    """Return a number for each pair of numbers; equal pairs have the same one."""
    if groups.max(initial=0) == 0:
        return codes.astype(np.int64)
    _, found = np.unique(groups * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
    return found.astype(np.int64)


def _result(rows: pa.Table, field: PartitionField, schema: Schema) -> pa.Array:
    """Return the results of a partition field."""
    source = _source(field, schema)
    made = apply_array(field.transform, source.type, _column(rows, source.id, schema))
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _source(field: PartitionField | SortField, schema: Schema) -> Any:
    """Return the source column of a partition field or a sort key."""
    if len(field.source_ids) > 1:
        found = f"{field.transform} of {len(field.source_ids)} columns"
        raise Unsupported("partition-spec", None, found, "a transform of one column")
    source = schema.find(field.source_ids[0])
    if source is None:
        found = f"source column {field.source_ids[0]}"
        raise FormatError("partition-spec", None, found, "a column of the schema")
    return source


def _column(rows: pa.Table, field_id: int, schema: Schema) -> pa.Array:
    """Return a column, or a field inside of structs, as one array."""
    path = (*schema.parents(field_id), field_id)
    found = rows[schema.find(path[0]).name].combine_chunks()  # type: ignore[union-attr]
    if isinstance(found, pa.ChunkedArray):
        found = pa.concat_arrays(found.chunks) if found.num_chunks else found
    for each in path[1:]:
        found = pc.struct_field(found, [schema.find(each).name])  # type: ignore[union-attr]
    return found


def sorted_rows(rows: pa.Table, order: SortOrder, schema: Schema) -> pa.Table:
    """Return rows in the order of a table; rows with equal keys keep theirs."""
    if order.is_unsorted or rows.num_rows == 0:
        return rows
    columns: dict[str, Any] = {}
    keys: list[tuple[str, str]] = []
    for number, key in enumerate(order.fields):
        source = _source(key, schema)
        values = apply_array(key.transform, source.type, _column(rows, source.id, schema))
        nulls_first = key.null_order == "nulls-first"
        columns[f"null{number}"] = values.is_null()
        keys.append((f"null{number}", "descending" if nulls_first else "ascending"))
        direction = "ascending" if key.direction == "asc" else "descending"
        if pa.types.is_floating(values.type):
            columns[f"nan{number}"] = pc.is_nan(values).fill_null(False)  # noqa: FBT003  its value
            keys.append((f"nan{number}", direction))
        columns[f"key{number}"] = values
        keys.append((f"key{number}", direction))
    columns["row"] = np.arange(rows.num_rows)
    keys.append(("row", "ascending"))
    chosen: NDArray[np.int64] = pc.sort_indices(pa.table(columns), sort_keys=keys)
    return rows.take(chosen)
