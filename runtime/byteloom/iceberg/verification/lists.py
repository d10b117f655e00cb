"""Check manifest lists: their rows, what several lists say of one manifest, and their summaries.

The rules:

- A manifest is not listed by a snapshot older than the one that added it, nor does it have a higher
  sequence number.
- Row ids that a snapshot gave to manifests begin with its own first one, and follow each other.
- What lists state of a manifest is the same in all of them; an upgrade may add fields.
- Planning excludes manifests by their summaries: a partition outside them would be missed.
- Summaries may be wider than the partitions (nulls, NaNs and bounds), but not narrower.
- There is one summary for each partition field, and its bounds have the form of the field's type.
  A bound may only be missing if all partitions are null or NaN, and may be NaN.
- The order of UUIDs is not checked, since writers order them in two ways, nor are results of
  unknown transforms.

Source: Iceberg table spec, "Manifest Lists" (``field_summary``), "Sequence Numbers" and "Row
Lineage".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.stats import Bounds
from byteloom.iceberg.transforms import Identity, to_human
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.iceberg.verification.documents import check_paths
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.expressions.manifests import FieldSummaries
    from byteloom.iceberg.expressions.stats import Spans
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type
    from byteloom_generated.iceberg.table_metadata import Snapshot


__all__ = ["REPEATED", "check_again", "check_counted", "check_list", "check_summaries"]

REPEATED: Final = (
    *("manifest_length", "partition_spec_id", "content", "sequence_number"),
    *("min_sequence_number", "added_snapshot_id", "first_row_id"),
    *(
        f"{kind}_{what}_count"
        for kind in ("added", "existing", "deleted")
        for what in ("files", "rows")
    ),
)
"""What all lists that have a manifest say of it."""


def check_list(
    metadata: TableMetadata, snapshot: Snapshot, listed: ManifestList
) -> Iterator[FormatError]:
    """Yield what is wrong with a list by itself."""
    for error in check_paths("manifests", "manifest_path", listed.table.column("manifest_path")):
        yield error.in_file(listed.path)
    sequence = listed.numbers("sequence_number")
    added_by = listed.numbers("added_snapshot_id")
    ages = {each.snapshot_id: each.sequence_number for each in metadata.snapshots.values()}
    added_at = [ages.get(each, age) for each, age in zip(added_by.tolist(), sequence, strict=True)]
    own = sequence != np.array(added_at, np.int64)
    for row in np.flatnonzero((sequence > snapshot.sequence_number) | own).tolist():
        wanted = f"that of the snapshot that added it, and at most {snapshot.sequence_number}"
        yield FormatError(
            f"manifests[{row}].sequence_number", None, str(sequence[row]), wanted
        ).in_file(listed.path)
    for error in _row_ids(metadata, snapshot, listed):
        yield error.in_file(listed.path)


def _row_ids(
    metadata: TableMetadata, snapshot: Snapshot, listed: ManifestList
) -> Iterator[FormatError]:
    """Yield the first row ids of manifests that a snapshot, or the table, has not given."""
    first = listed.numbers("first_row_id")
    counts = [listed.numbers(f"{each}_rows_count") for each in ("added", "existing")]
    rows = np.maximum(counts[0], 0) + np.maximum(counts[1], 0)
    least, end = snapshot.first_row_id, metadata.document.next_row_id
    if end is not None:
        for row in np.flatnonzero((first >= 0) & (first + rows > end)).tolist():
            found = f"{rows[row]} rows from {first[row]} on"
            yield FormatError(f"manifests[{row}].first_row_id", None, found, f"ids below {end}")
            return
    if least is None or any((each < 0).any() for each in counts):
        return
    is_own = listed.numbers("added_snapshot_id") == snapshot.snapshot_id
    given = np.flatnonzero((first >= 0) & (is_own | (first >= least)))
    given = given[np.argsort(first[given], kind="stable")]
    wanted = least + np.cumsum(rows[given]) - rows[given]
    for at in np.flatnonzero(first[given] != wanted)[:1].tolist():
        where, found = f"manifests[{given[at]}].first_row_id", str(first[given[at]])
        yield FormatError(where, None, found, f"{wanted[at]}, the next one of the snapshot")


def check_counted(
    path: str, row: int, manifest: dict[str, Any], entries: Entries
) -> Iterator[FormatError]:
    """Yield negative counts of a list, and fill in those that it lacks."""
    for status in EntryStatus:
        rows = entries.record_count[entries.status == status]
        counts = {"files": len(rows), "rows": sum(rows.tolist())}
        if (rows < 0).any():
            del counts["rows"]  # some files do not count theirs
        for what, count in counts.items():
            name = f"{status.name.lower()}_{what}_count"
            stated = manifest[name]
            manifest[name] = count if stated is None else stated
            if stated is not None and stated < 0:
                where, wanted = f"manifests[{row}].{name}", f"{count}; DuckDB counts by it"
                yield FormatError(where, None, str(stated), wanted).in_file(path)


def check_again(
    path: str, row: int, before: dict[str, Any], now: dict[str, Any]
) -> Iterator[FormatError]:
    """Yield contradictions of two lists about a manifest; an upgrade may add fields."""
    for name in REPEATED:
        if None not in {before[name], now[name]} and before[name] != now[name]:
            wanted = f"{before[name]}, as another list says"
            where = f"manifests[{row}].{name}"
            yield FormatError(where, None, str(now[name]), wanted).in_file(path)
            before[name] = now[name]  # so that each change is reported once


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
