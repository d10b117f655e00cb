"""Make a plan from manifests, some of them at a time, column-wise from the first step to the last.

The rules:

- Data manifests are excluded by their partition summaries, files by their partitions and then by
  their statistics; never one that may have a matching row.
- Delete files are read whole and matched by the spec's rules; the filter excludes those whose
  statistics show no matching row, since the rows they delete would not be returned anyway.
- A deletion vector belongs to a live data file, which is in the manifests that are read, since
  these have all files of its partition.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.expressions.metrics import strict
from byteloom.iceberg.manifests.entries import (
    SCAN_COLUMNS,
    Entries,
    read_entries,
    stream_entries,
)
from byteloom.iceberg.manifests.joining import joined_entries
from byteloom.iceberg.manifests.manifest_list import ManifestList
from byteloom.iceberg.metadata import Relocation
from byteloom.iceberg.planning.delete_index import (
    DELETED_FILE_PATH,
    DeleteIndex,
    Pairs,
    compared_ids,
)
from byteloom.iceberg.planning.parts import limited, sure_rows
from byteloom.iceberg.planning.plan import Counts, Plan
from byteloom.iceberg.planning.planned_scan import DATA, DELETES, ManifestSource, PlannedScan
from byteloom.iceberg.planning.pruning import residuals
from byteloom.iceberg.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.types import NestedField

__all__ = ["Planner"]

_FEW: Final = 4
"""If one entry is left of at least this many, it is copied to release the others."""

_MANY: Final = 1 << 14
"""Least number of entries that are planned together."""

_WIDE: Final = 100
"""Number of columns from which on statistics of delete files are read for some columns only: those
that are compared with data files are few, and known once the entries were read."""

_FILE_COLUMNS: Final = frozenset(
    {
        *("file_path", "file_format", "spec_id", "record_count", "file_size_in_bytes"),
        *("sequence_number", "first_row_id", "split_offsets", "sort_order_id"),
    }
)
_DELETE_COLUMNS: Final = frozenset(
    {
        *("content", "file_path", "file_format", "spec_id", "sequence_number", "record_count"),
        *("file_size_in_bytes", "equality_ids", "content_offset", "content_size_in_bytes"),
        "referenced_data_file",
    }
)


class Planner:
    """Makes the plan of a scan."""

    def __init__(self, scan: PlannedScan) -> None:
        """Keep the scan, whose columns are checked; nothing is read."""
        scan.check_columns()
        self.scan = scan
        self.table = scan.table
        self.specs = scan.table.metadata.partition_specs

    def parts(self, sources: Iterable[ManifestSource]) -> Iterator[Plan]:
        """Yield plans, each of some manifests; at least one."""
        with self.scan.table.relocation.naming():
            yield from self._limited(sources)

    def _limited(self, sources: Iterable[ManifestSource]) -> Iterator[Plan]:
        """Yield plans until they certainly have the wanted number of rows."""
        wanted = self.scan.limit
        for source in sources:
            for part in self._parts(source):
                kept = part if wanted is None else limited(part, wanted)
                yield kept
                if wanted is not None and (wanted := wanted - sure_rows(kept)) <= 0:
                    return

    def _parts(self, source: ManifestSource) -> Iterator[Plan]:
        """Yield plans of the manifests of one source."""
        counts = Counts()
        data = self.kept(source, DATA, counts)
        index = self.delete_index(source, counts)
        yield from self.data_parts(data, source, index, counts)
        index.check_seen()

    def data_parts(
        self, data: ManifestList, source: ManifestSource, index: DeleteIndex, counts: Counts
    ) -> Iterator[Plan]:
        """Yield plans of some data manifests; few remaining files of many are planned together.

        Args:
            data: Manifests of *source* that `kept` returned.
            index: Records the live files; the caller checks that all vectors have theirs.
            counts: The counts to put into the first plan.
        """
        deletes = self.delete_table(index.entries)
        if self.scan.changes_rows:
            deletes = index.with_referenced(deletes)
            if len(index):
                deletes = deletes.append_column("manifest", _manifests(index.entries))
        few: list[Entries] = []
        for entries in self.entries(data, source, self.stats_for(index)):
            index.note(entries)
            left, is_few = self._survivors(source.of_change(entries), counts, is_first=not few)
            few.append(left)
            if not is_few or sum(map(len, few)) >= _MANY:
                yield self._matched(joined_entries(few), index, deletes, counts)
                few, counts = [], Counts()
        if few:
            yield self._matched(joined_entries(few), index, deletes, counts)

    def stats_for(self, index: DeleteIndex) -> frozenset[int]:
        """Return the ids of the columns whose statistics decide which data files are read."""
        return frozenset(self.scan.pruning.columns | index.compared_ids)

    def kept(self, source: ManifestSource, content: int, counts: Counts) -> ManifestList:
        """Return the manifests of this content that may have a matching file; count the others."""
        wanted = source.kept(content)
        keep = wanted & self.scan.pruning.manifests(source.listed)
        total = int(wanted.sum())
        if content == DATA:
            counts.data_manifests += total
        else:
            counts.delete_manifests += total
        counts.skipped_manifests += total - int(keep.sum())
        return source.listed.take(np.flatnonzero(keep))

    def entries(
        self, listed: ManifestList, source: ManifestSource, stats_for: Iterable[int]
    ) -> Iterator[Entries]:
        """Yield the entries of data manifests, with statistics of some columns."""
        return stream_entries(
            listed,
            self.table.relocation.read,
            self.specs,
            self.scan.schema,
            columns=SCAN_COLUMNS,
            stats_for=frozenset(stats_for),
            with_deleted=source.ordinal is not None,
            one_snapshot=source.change is None,
            limits=self.table.limits,
        )

    def delete_index(self, source: ManifestSource, counts: Counts) -> DeleteIndex:
        """Return the delete files that may apply to a matching row; none for an append scan."""
        nothing = source.change is not None
        listed = source.listed.take(np.zeros(0, np.intp)) if nothing else None
        kept = self.kept(source, DELETES, counts) if listed is None else listed
        return DeleteIndex(self.delete_entries(kept, counts), self.specs, self.field)

    def delete_entries(
        self, listed: ManifestList, counts: Counts, *, with_deleted: bool = False
    ) -> Entries:
        """Return the delete files that may apply to a matching row.

        Args:
            with_deleted: Whether to include those that are no longer live.
        """
        if not len(listed):
            return no_deletes()[0]
        columns = self._all_columns
        if len(columns) > _WIDE:
            columns = self.scan.pruning.columns
        entries = self._read_deletes(listed, columns, with_deleted=with_deleted)
        if len(columns) < len(self._all_columns) and (ids := compared_ids(entries)) - columns:
            entries = self._read_deletes(listed, columns | ids, with_deleted=with_deleted)
        keep = self.scan.pruning.partitions(entries) & (entries.sequence_number > 0)
        if self.scan.takes_fitting_deletes:
            keep &= self.scan.pruning.delete_statistics(entries)
        counts.delete_files = len(entries)
        counts.skipped_delete_files = len(entries) - int(keep.sum())
        return entries if keep.all() else entries.take(np.flatnonzero(keep))

    def _read_deletes(
        self, listed: ManifestList, columns: frozenset[int], *, with_deleted: bool
    ) -> Entries:
        """Return the entries of delete manifests, with statistics of some columns."""
        return read_entries(
            listed,
            self.table.relocation.read,
            self.specs,
            self.scan.schema,
            columns=SCAN_COLUMNS,
            stats_for=columns | {DELETED_FILE_PATH},
            with_deleted=with_deleted,
            one_snapshot=not with_deleted,
            limits=self.table.limits,
        )

    @staticmethod
    def delete_table(entries: Entries) -> pa.Table:
        """Return the delete files as the table that a plan has."""
        nothing, table = no_deletes()
        return table if entries is nothing else entries.table(columns=_DELETE_COLUMNS)

    @property
    def _all_columns(self) -> frozenset[int]:
        """Return the ids of all columns that the table ever had."""
        schemas = self.table.metadata.schemas.values()
        return frozenset().union(*(schema.field_ids for schema in schemas))

    def field(self, field_id: int) -> NestedField | None:
        """Return a column by its id, from the scan's schema or any other."""
        for schema in (self.scan.schema, *self.table.metadata.schemas.values()):
            if (found := schema.find(field_id)) is not None:
                return found
        return None

    def _survivors(
        self, entries: Entries, counts: Counts, *, is_first: bool
    ) -> tuple[Entries, bool]:
        """Return the entries that may match, and whether they are few and share no bytes."""
        by_partition = self.scan.pruning.partitions(entries)
        by_statistics = self.scan.pruning.statistics(entries)
        keep = by_partition & by_statistics
        kept = int(np.count_nonzero(keep))
        counts.data_files += len(entries)
        counts.files_by_partition += len(entries) - int(np.count_nonzero(by_partition))
        counts.files_by_statistics += int(np.count_nonzero(by_partition & ~by_statistics))
        counts.kept += kept
        if kept == len(entries) and is_first:
            return entries, False
        rows = np.flatnonzero(keep)
        is_few = not is_first or _FEW * kept < len(entries)
        return (entries.take(rows) if is_few else entries.view(rows)), is_few

    def _matched(
        self, entries: Entries, index: DeleteIndex, deletes: pa.Table, counts: Counts
    ) -> Plan:
        """Return the plan of entries that may match, with the delete files that apply to each."""
        pairs = Pairs.joined([])
        if len(index):
            paths = entries.table(columns={"file_path"}).column(0).combine_chunks()
            pairs = index.match(entries, np.arange(len(entries)), paths)
        columns = {"manifest": _manifests(entries)} if self.scan.changes_rows else None
        return self.part(entries, pairs, deletes, counts, columns)

    def part(
        self,
        entries: Entries,
        pairs: Pairs,
        deletes: pa.Table,
        counts: Counts,
        columns: Mapping[str, pa.Array] | None = None,
    ) -> Plan:
        """Return the plan of entries that may match.

        Args:
            pairs: Pairs of these entries and the deletes that apply to them.
            deletes: All delete files.
            columns: Further columns of the files.
        """
        left = self._residuals(entries)
        held = {
            **entries.arrays(columns=_FILE_COLUMNS),
            "partition": pa.array(left.partition),
            "residual": pa.array(left.which),
            "deletes": pairs.lists(len(entries)),
            **(columns or {}),
        }
        return Plan(pa.table(held), deletes, left.expressions, left.partitions, left.types, counts)

    def _residuals(self, entries: Entries) -> _Left:
        """Return what each partition leaves of the filter, and the partitions themselves."""
        which, partition = np.zeros(len(entries), np.int32), np.zeros(len(entries), np.int32)
        expressions: list[Expression] = []
        types = {}
        bound = TRUE if self.scan.ignore_residuals else self.scan.bound
        for spec_id, (of_spec, tuples) in entries.partitions.items():
            spec = self.specs[spec_id]
            found = residuals(bound, spec, self.scan.schema, tuples)
            which[of_spec] = found.which + len(expressions)
            partition[of_spec] = np.arange(len(of_spec), dtype=np.int32)
            expressions += found.expressions
            types[spec_id] = spec.partition_type(self.scan.schema)
        if self.scan.changes_rows:
            which[_whole(self.scan.bound, entries)] = len(expressions)
            expressions.append(TRUE)
        tuples_of = {spec_id: each for spec_id, (_, each) in entries.partitions.items()}
        return _Left(which, partition, tuple(expressions), tuples_of, types)


def _manifests(entries: Entries) -> pa.Array:
    """Return the path of the manifest of each entry."""
    numbers = pa.array(entries.manifest, pa.int32())
    return pa.DictionaryArray.from_arrays(numbers, pa.array(entries.paths, pa.large_string()))


def _whole(bound: Expression, entries: Entries) -> NDArray[np.bool_]:
    """Return bool[entry]: whether statistics show that every row matches."""
    return np.asarray(strict(bound, entries.stats) & (entries.record_count > 0))


@cache
def no_deletes() -> tuple[Entries, pa.Table]:
    """Return empty entries and an empty delete table, for the many tables without delete files."""
    entries = read_entries(ManifestList.of_paths(()), Relocation().read, {}, Schema(()))
    return entries, entries.table(columns=_DELETE_COLUMNS)


@dataclass(frozen=True, slots=True)
class _Left:
    """The residuals and partitions of the files of a part."""

    which: NDArray[np.int32]
    partition: NDArray[np.int32]
    expressions: tuple[Expression, ...]
    partitions: dict[int, pa.StructArray]
    types: dict[int, Any]
