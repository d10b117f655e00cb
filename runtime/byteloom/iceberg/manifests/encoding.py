"""Entries that are columns as the Avro records of a manifest, without a Python object for any.

The rules:

- Each field becomes a column of bytes; kernels of Arrow join the columns of a row.
- An optional value is a union with null first. Lists and maps are one block of items, or none.
- A value for which the version has no field is refused: it would be lost.

Source: Apache Avro specification, "Binary Encoding"; Iceberg table spec, "Manifests".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.avro.column_writer import (
    blocks,
    decimal_bytes,
    fixed_bytes,
    joined,
    sized,
    varint_rows,
    varints,
)
from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.file_types.arrow_walk import decimal_size
from byteloom.iceberg.manifests.arrow_columns import items_of, packed_spans, runs_array
from byteloom.iceberg.manifests.fields import ENTRY, entry_type
from byteloom.iceberg.types import DecimalType, MapType, StructType
from byteloom_generated.iceberg import manifests as tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.arrow_columns import Lists
    from byteloom.iceberg.manifests.entry_columns import Entries
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField, Type

    Numbers = NDArray[np.int64]

__all__ = ["encoded_entries", "encoded_tuples", "storage_tuples"]

_BYTES: Final = pa.large_binary()
_SOME: Final = pa.scalar(b"\x02", _BYTES)
_NONE: Final = pa.scalar(b"\x00", _BYTES)
_FILL: Final = {each.name: each.fill for each in (*tables.MANIFEST_ENTRY, *tables.DATA_FILE)}
_NUMBERS: Final = frozenset({"int", "long", "date", "time", "timestamp", "timestamptz"})
_NANOS: Final = frozenset({"timestamp_ns", "timestamptz_ns"})


def encoded_entries(
    entries: Entries, *, version: int, schema: Schema, spec: PartitionSpec
) -> pa.LargeBinaryArray:
    """Return entries of one spec as records of a manifest, in their order.

    Args:
        entries: With all columns.
        version: The format version of the manifest.
        schema: The schema that decides the types of partition values.
        spec: The partition spec of all of them.

    Raises:
        FormatError: A value that the version has no field for, or that its type cannot hold.
    """
    of = entry_type(version, spec.partition_type(schema))
    _refuse_others(entries, of, version)
    return _record(of, entries, spec)


def storage_tuples(entries: Entries, spec: PartitionSpec, of: StructType) -> list[pa.Array]:
    """Return the partition values of entries of one spec, a column for each field.

    Args:
        entries: The entries.
        spec: Their spec.
        of: The types of its fields.
    """
    rows, tuples = entries.partition(spec.spec_id)
    if len(rows) != len(entries):
        found = f"{len(rows)} of {len(entries)} entries"
        raise FormatError("partition", None, found, f"all to be of spec {spec.spec_id}")
    made = []
    for each, held in zip(of.fields, tuples.flatten(), strict=True):
        try:
            made.append(held.cast(arrow_type(each.type)))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            found = f"values of type {held.type}"
            raise FormatError(f"partition.{each.name}", None, found, str(each.type)) from error
    return made


def encoded_tuples(columns: Sequence[pa.Array], of: StructType) -> pa.LargeBinaryArray:
    """Return partition tuples as records: equal partitions have equal bytes.

    Args:
        columns: The values of each field.
        of: The types of the fields, of which there is at least one.
    """
    fields = zip(of.fields, columns, strict=True)
    return joined(*[_optional(each, _values(each.type, held)) for each, held in fields])


def _refuse_others(entries: Entries, of: StructType, version: int) -> None:
    """Refuse values of fields that the version lacks, unless they mean the same as no value."""
    file = next(each.type for each in of.fields if each.name == "data_file")
    assert isinstance(file, StructType)  # noqa: S101  the table says so
    written = {each.name for each in (*of.fields, *file.fields)}
    for each in ENTRY:
        if each.name in written or each.name == "distinct_counts":
            continue
        if each.name in entries.numbers:
            has_some = bool((entries.numbers[each.name] > 0).any())
        elif each.name in entries.runs:
            has_some = bool((entries.runs[each.name].sizes >= 0).any())
        else:
            has_some = each.name in entries.lists and bool(
                entries.lists[each.name].runs.valid.any()
            )
        if has_some:
            wanted = f"nothing: version {version} does not have it"
            raise FormatError(f"entries.{each.name}", None, "values", wanted)


def _record(of: StructType, entries: Entries, spec: PartitionSpec) -> pa.LargeBinaryArray:
    """Return the fields of entries or of their files, joined."""
    parts = []
    for each in of.fields:
        if each.name == "partition":
            assert isinstance(each.type, StructType)  # noqa: S101  the table says so
            parts += _tuples(each.type, entries, spec)
        elif isinstance(each.type, StructType):
            parts.append(_record(each.type, entries, spec))
        else:
            parts.append(_field(each, entries))
    return joined(*parts) if parts else pa.array([b""] * len(entries), _BYTES)


def _field(of: NestedField, entries: Entries) -> pa.LargeBinaryArray:
    """Return a field of all entries."""
    if of.name in entries.numbers:
        numbers = entries.numbers[of.name]
        return _optional(of, varints(numbers, numbers != -1))
    if of.name in entries.runs:
        return _optional(of, sized(runs_array(entries.runs[of.name])))
    if of.name in entries.lists:
        return _optional(of, _blocks(entries.lists[of.name], is_map=isinstance(of.type, MapType)))
    fill = _FILL.get(of.name)
    numbers = np.full(len(entries), -1 if fill is None else fill, np.int64)
    return _optional(of, varints(numbers, numbers != -1))


def _tuples(of: StructType, entries: Entries, spec: PartitionSpec) -> list[pa.LargeBinaryArray]:
    """Return the partition values of all entries, a column for each field."""
    columns = storage_tuples(entries, spec, of)
    return [
        _optional(each, _values(each.type, held))
        for each, held in zip(of.fields, columns, strict=True)
    ]


def _values(of: Type, values: pa.Array) -> pa.LargeBinaryArray:
    """Return partition values of one type; null for null."""
    if values.null_count == len(values):
        return pa.nulls(len(values), _BYTES)
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    if of.kind in _NUMBERS | _NANOS:
        plain = pa.int32() if values.type.bit_width == pa.int32().bit_width else pa.int64()
        numbers = values.view(plain).cast(pa.int64()).fill_null(0).to_numpy()
        return varints(numbers, valid)
    if of.kind == "boolean":
        return fixed_bytes(values.cast(pa.uint8()).fill_null(0).to_numpy()[:, None], valid)
    if of.kind in {"float", "double"}:
        numbers = values.fill_null(0).to_numpy()
        words = numbers.astype(numbers.dtype.newbyteorder("<")).view(np.uint8)
        return fixed_bytes(words.reshape(len(numbers), -1), valid)
    if isinstance(of, DecimalType):
        return fixed_bytes(decimal_bytes(values, decimal_size(of.precision)), valid)
    held = values.cast(_BYTES)
    return held if pa.types.is_fixed_size_binary(values.type) else sized(held)


def _optional(of: NestedField, values: pa.LargeBinaryArray) -> pa.LargeBinaryArray:
    """Return values of a field as unions with null, unless it is required."""
    if not of.required:
        return joined(_SOME, values).fill_null(_NONE)
    if values.null_count:
        raise FormatError(f"entries.{of.name}", None, "nothing", "a value, which is required")
    return values


def _blocks(lists: Lists, *, is_map: bool) -> pa.LargeBinaryArray:
    """Return lists or maps, each as one block of its items, or none."""
    runs = lists.runs
    counts = runs.ends - runs.starts
    items = items_of(runs, lists.items)
    if lists.data is not None:
        values = packed_spans(items[1], lists.data)
        held = joined(varint_rows(items[0], values.sizes), runs_array(values))
    else:
        held = varint_rows(*(items[:2] if is_map else items[:1]))
    return blocks(counts, held, runs.valid)
