"""Check the summaries of partition fields in a list against the partitions in the manifest.

The rules:

- Planning excludes manifests by their summaries: a partition outside them would be missed.
- Summaries may be wider than the partitions (nulls, NaNs and bounds), but not narrower.
- There is one summary for each partition field, and its bounds have the form of the field's type.
  A bound may only be missing if all partitions are null or NaN, and may be NaN.
- The order of UUIDs is not checked, since writers order them in two ways, nor are results of
  unknown transforms.

Source: Iceberg table spec, "Manifest Lists" (``field_summary``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.stats import Bounds
from byteloom.iceberg.transforms import Identity, to_human
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.expressions.manifests import FieldSummaries
    from byteloom.iceberg.expressions.stats import Spans
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type

__all__ = ["check_summaries"]


def check_summaries(
    one: ManifestList, entries: Entries, spec: PartitionSpec, schema: Schema
) -> Iterator[FormatError]:
    """Yield an error for each partition field whose summary excludes partitions of the manifest.

    Args:
        one: The manifest's row in the list.
    """
    count = one.summary_counts[0]
    if count >= 0 and count != len(spec.fields):
        wanted = f"{len(spec.fields)}, one for each partition field; DuckDB refuses the table"
        yield FormatError("partitions", None, f"{count} summaries", wanted)
    is_known, summaries = one.summaries(spec)
    if not is_known.all() or not summaries or spec.spec_id not in entries.partitions:
        return
    _, tuples = entries.partition(spec.spec_id)
    fields = spec.partition_type(schema).fields
    for number, (field, column) in enumerate(zip(fields, tuples.flatten(), strict=True)):
        is_typed = column.type == arrow_type(field.type)  # not where the column was dropped
        if is_typed and spec.fields[number].transform.is_known:
            where = f"partitions[{number}]"
            yield from _field(where, field.type, column, summaries[field.id])


def _field(
    where: str, of: Type, column: pa.Array, summary: FieldSummaries
) -> Iterator[FormatError]:
    """Yield what one field's summary excludes."""
    values = column.drop_null()
    if column.null_count and not summary.contains_null[0]:
        yield FormatError(f"{where}.contains_null", None, "false", "true: a partition is null")
    if pa.types.is_floating(values.type):
        numbers = values.filter(pc.invert(pc.is_nan(values)))
        if len(numbers) < len(values) and summary.contains_nan[0] == 0:
            yield FormatError(f"{where}.contains_nan", None, "false", "true: a partition is NaN")
        values = numbers
    for name, outside in (("lower_bound", pc.less), ("upper_bound", pc.greater)):
        spans = getattr(summary, name.removesuffix("_bound"))
        if spans.sizes[0] < 0:
            if len(values):
                some = _text(of, values.slice(0, 1))
                wanted = f"a bound, since a partition is {some}; PyIceberg skips the manifest"
                yield FormatError(f"{where}.{name}", None, "nothing", wanted)
            continue
        bounds = Bounds.read(of, spans)
        bound = bounds.to_arrow()
        if bound.null_count and not _is_nan(of, spans):
            found, wanted = repr(spans.to_arrow()[0].as_py()), f"a value of type {of}"
            yield FormatError(f"{where}.{name}", None, found, wanted)
        if bound.null_count or of.kind == "uuid":
            continue
        beyond = np.flatnonzero(np.asarray(outside(values, bound[0])))
        for row in beyond[:1].tolist():
            lost, found = _text(of, values.slice(row, 1)), _text(of, bound)
            yield FormatError(f"{where}.{name}", None, found, f"bounds that include {lost}")


def _is_nan(of: Type, spans: Spans) -> bool:
    """Return whether a bound of type *of* that is not a number has the width of one."""
    return of.kind in {"float", "double"} and int(spans.sizes[0]) in {4, 8}


def _text(of: Type, one: pa.Array) -> str:
    """Return a partition value in readable form."""
    return to_human(Identity(), of, storage_values(of, one)[0])
