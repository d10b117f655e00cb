"""Compare a file's partition with its rows.

The rules:

- All rows of a file must have the results of the transforms that its partition states. A transform
  that keeps the order is applied to the least and greatest values only.
- A column that the file lacks has no values to compare, nor has one whose transform is unknown.
- Results of years, months, days and hours before 1970 that are one too high, as old Java wrote
  them, are reported: PyIceberg skips such files, and a plan for days of dates skips them as well.
- ORC has moments before 1970 that are a second too late: a file with any is not compared.

Source: Iceberg table spec, "Partitioning".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.iceberg.transforms import Bucket, Identity, Void, apply_value, to_human

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom.errors import FormatError
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.observed import Seen
    from byteloom.iceberg.partition_spec import PartitionField, PartitionSpec
    from byteloom.iceberg.transforms import Transform
    from byteloom.iceberg.types import NestedField, Type
    from byteloom.iceberg.verification.claims import Claim

__all__ = ["check_partition", "hashed_columns", "shown_partition"]

_MICROS: Final = 1_000_000
_NANOS: Final = 1_000_000_000
"""Units of moments in a second."""


def _source_columns(spec: PartitionSpec) -> Iterator[PartitionField]:
    """Yield the fields of a spec whose values follow from one column."""
    for each in spec.fields:
        is_known = each.transform.is_known and not isinstance(each.transform, Void)
        if is_known and len(each.source_ids) == 1:
            yield each


def hashed_columns(
    specs: Sequence[PartitionSpec], columns: Mapping[int, NestedField]
) -> dict[int, list[tuple[Transform, Type]]]:
    """Return the transforms that do not keep the order, with the column's type, by its id."""
    found: dict[int, list[tuple[Transform, Type]]] = {}
    for each in (each for spec in specs for each in _source_columns(spec)):
        source, transform = columns.get(each.source_id), each.transform
        if isinstance(transform, Bucket) and source and transform.can_transform(source.type):
            found.setdefault(each.source_id, []).append((transform, source.type))
    return found


def check_partition(
    claim: Claim,
    spec: PartitionSpec,
    seen: Mapping[int, Seen],
    columns: Mapping[int, NestedField],
) -> Iterator[FormatError]:
    """Yield the partition values of an entry that its file's rows contradict."""
    for field in _source_columns(spec):
        source, values = columns.get(field.source_id), seen.get(field.source_id)
        if source is None or values is None or not (values.present or values.nulls):
            continue
        of, transform = source.type, field.transform
        if not transform.can_transform(of):
            continue
        if claim.is_orc and _may_be_late(of, values):
            continue
        value = claim.partition(spec.fields.index(field), transform.result_type(of))
        others = list(_others(transform, of, value, values))
        if others:
            found, other = (to_human(transform, of, each) for each in (value, others[0]))
            wanted = f"{other}, since the file has such rows ({transform} of {source.name})"
            yield claim.error(f"partition.{field.name}", found, wanted)


def shown_partition(entries: Entries, row: int) -> str:
    """Return the partition of an entry and its spec as text; no values if the spec is unknown."""
    spec_id = int(entries.spec_id[row])
    rows, tuples = entries.partition(spec_id)
    values = tuples[int(np.searchsorted(rows, row))].as_py() if len(rows) else {}
    return f"partition {tuple(values.values())} of spec {spec_id}"


def _may_be_late(of: Type, values: Seen) -> bool:
    """Return whether some moments in a file of ORC may be a second too late."""
    if not of.kind.startswith("timestamp"):
        return False
    ends = values.range(of)
    return ends is not None and ends[0] < (_NANOS if of.kind.endswith("_ns") else _MICROS)


def _others(transform: Transform, of: Type, stated: Any, values: Seen) -> Iterator[Any]:
    """Yield results of a transform that rows have and a partition has not."""
    is_nan = isinstance(stated, float) and math.isnan(stated)
    if values.nans > 0 and not is_nan:
        yield math.nan
    if (values.nulls or values.missing) and stated is not None:
        yield None
    if isinstance(transform, Bucket):
        results = [each.as_py() for each in values.results.get(str(transform), ())]
    else:
        results = list(dict.fromkeys(values.range(of) or ()))
        if not isinstance(transform, Identity):
            results = [apply_value(transform, of, each) for each in results]
    for each in results:
        if stated is None or is_nan or stated != each:
            yield each
