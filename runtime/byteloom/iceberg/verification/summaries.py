"""Check the summaries of partition fields in a list against the partitions in the manifest.

The rules:

- Planning excludes manifests by their summaries: a partition outside them would be missed.
- Summaries may be wider than the partitions (nulls, NaNs and bounds), but not narrower.
- UUIDs are not checked, since writers order them in two ways, nor are results of unknown
  transforms.

Source: Iceberg table spec, "Manifest Lists" (``field_summary``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom import compute as pc
from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.stats import Bounds
from byteloom.iceberg.transforms import Identity, to_human
from byteloom.iceberg.transforms.arrays import storage_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.expressions.manifests import FieldSummaries
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

    one  the manifest's row in the list
    """
    is_known, summaries = one.summaries(spec)
    if not is_known.all() or not summaries:
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
    if column.null_count and not summary.contains_null[0]:
        yield FormatError(f"{where}.contains_null", None, "false", "true: a partition is null")
    is_nan = pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py()
    if is_nan and summary.contains_nan[0] == 0:
        yield FormatError(f"{where}.contains_nan", None, "false", "true: a partition is NaN")
    if of.kind == "uuid":
        return
    for name, outside in (("lower_bound", pc.less), ("upper_bound", pc.greater)):
        bounds = Bounds.read(of, getattr(summary, name.removesuffix("_bound")))
        if not bounds.is_known[0]:
            continue
        bound = bounds.to_arrow()
        beyond = pc.fill_null(outside(column, bound[0]), fill_value=False)
        for row in np.flatnonzero(np.asarray(beyond))[:1].tolist():
            lost = _text(of, column.slice(row, 1))
            found = _text(of, bound)
            yield FormatError(f"{where}.{name}", None, found, f"bounds that include {lost}")


def _text(of: Type, one: pa.Array) -> str:
    """Return a partition value in readable form."""
    return to_human(Identity(), of, storage_values(of, one)[0])
