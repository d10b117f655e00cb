"""A scan of a table: what is asked of it, and the plan of the files that can answer.

The rules:

- A scan is a value: `Scan.plan` reads the manifests, nothing before it does.
- Data manifests are left out by their partition summaries, files by their partitions and then by
  their statistics; never one that may hold a matching row.
- Delete files are read whole and matched by the spec's rules; the filter leaves out those whose
  statistics show no matching row, for what they delete would not be shown.
- Entries are columns from the manifest to the plan; manifests are read and decoded in threads.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.expressions.binding import bind
from byteloom.iceberg.expressions.residuals import residuals
from byteloom.iceberg.manifests.entries import SCAN_COLUMNS, read_entries, stream_entries
from byteloom.iceberg.manifests.manifest_list import ManifestList, read_manifest_list
from byteloom.iceberg.planning.delete_index import DELETED_FILE_PATH, DeleteIndex
from byteloom.iceberg.planning.joining import joined, limited, sure_rows
from byteloom.iceberg.planning.plan import Counts, Plan
from byteloom.iceberg.planning.pruning import Filter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.expressions.stats import Flags
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.table import Table
    from byteloom.iceberg.types import NestedField
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["Scan"]

_DATA, _DELETES = 0, 1
_FILE_COLUMNS = (
    "file_path",
    "file_format",
    "spec_id",
    "record_count",
    "file_size_in_bytes",
    "sequence_number",
    "first_row_id",
    "split_offsets",
    "sort_order_id",
)
_DELETE_COLUMNS = (
    *("content", "file_path", "file_format", "spec_id", "sequence_number", "record_count"),
    *("file_size_in_bytes", "equality_ids", "content_offset", "content_size_in_bytes"),
    "referenced_data_file",
)


@dataclass(frozen=True)
class Scan:
    """What is asked of a table.

    table             the table
    snapshot          the snapshot to read; None for a table without one
    schema            whose columns the filter and *columns* name
    filter            which rows are wanted, by column names
    columns           names of the columns that are wanted; None for all
    case_sensitive    whether the case of names counts
    ignore_residuals  plan as if no row had to be asked again
    limit             how many rows are wanted at most
    """

    table: Table
    snapshot: Snapshot | None
    schema: Schema
    filter: Expression = TRUE
    columns: tuple[str, ...] | None = None
    case_sensitive: bool = True
    ignore_residuals: bool = False
    limit: int | None = None

    def where(self, expression: Expression) -> Self:
        """Return the scan of the rows for which *expression* holds too."""
        return replace(self, filter=self.filter & expression)

    def select(self, *columns: str) -> Self:
        """Return the scan of these columns."""
        return replace(self, columns=columns)

    @cached_property
    def bound(self) -> Expression:
        """The filter on the fields of the schema; `FormatError` for a column it does not have."""
        return bind(self.filter, self.schema, case_sensitive=self.case_sensitive)

    @cached_property
    def pruning(self) -> Filter:
        """The filter, as manifests and files are asked."""
        return Filter(self.bound, self.schema, self.table.metadata.partition_specs)

    def plan(self) -> Plan:
        """Return all files that must be read.

        FormatError   damaged manifests, or ones that contradict their list
        StorageError  files that are missing
        """
        return joined(list(self.plan_stream()))

    def to_batches(
        self, *, ordered: bool = True, threads: int | None = None
    ) -> pa.RecordBatchReader:
        """Return the rows, deletes applied; nothing is read before batches are asked for.

        ordered  in the order of the plan; else as files are read
        threads  files that are read at a time; None for as many as there are processors
        raises   `FormatError` and `StorageError` with the batch that they prevent
        """
        from byteloom.iceberg.reading.scanning import scan_batches

        return scan_batches(self, ordered=ordered, threads=threads)

    def to_table(self, *, ordered: bool = True, threads: int | None = None) -> pa.Table:
        """Return all rows; arguments and errors as for `to_batches`."""
        return self.to_batches(ordered=ordered, threads=threads).read_all()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the rows to any library that takes Arrow."""
        return self.to_batches().__arrow_c_stream__(requested_schema)

    def plan_stream(self) -> Iterator[Plan]:
        """Yield the plan in parts, some manifests at a time: memory stays bounded.

        The delete files stand in every part; the first one counts the manifests.
        """
        listed = self._manifests()
        counts = Counts()
        data = self._kept(listed, _DATA, counts)
        index = self._delete_index(self._kept(listed, _DELETES, counts))
        counts.delete_files = len(index)
        yield from self._parts(data, index, counts)

    def _manifests(self) -> ManifestList:
        """The manifests of the snapshot."""
        if self.snapshot is None:
            return ManifestList.of_paths(())
        if self.snapshot.manifest_list is None:
            return ManifestList.of_paths(self.snapshot.manifests)
        path = self.snapshot.manifest_list
        listed = read_manifest_list(self.table.relocation.read(path), path)
        listed.check(self.table.metadata.partition_specs, self.snapshot.first_row_id)
        return listed

    def _kept(self, listed: ManifestList, content: int, counts: Counts) -> ManifestList:
        """The manifests of one content that may have a matching file."""
        of_content = listed.numbers("content") == content
        live = (listed.numbers("added_files_count") != 0) | (
            listed.numbers("existing_files_count") != 0
        )
        keep = of_content & live & self.pruning.manifests(listed)
        total = int(of_content.sum())
        if content == _DATA:
            counts.data_manifests += total
        else:
            counts.delete_manifests += total
        counts.skipped_manifests += total - int(keep.sum())
        return listed.take(np.flatnonzero(keep))

    def _delete_index(self, listed: ManifestList) -> DeleteIndex:
        """The delete files that may apply to a matching row."""
        metadata = self.table.metadata
        ids = {each for schema in metadata.schemas.values() for each in schema.field_by_id}
        entries = read_entries(
            listed,
            self.table.relocation.read,
            metadata.partition_specs,
            self.schema,
            columns=SCAN_COLUMNS,
            stats_for=ids | {DELETED_FILE_PATH},
            limits=self.table.limits,
        )
        keep = self.pruning.partitions(entries) & (entries.sequence_number > 0)
        if not self.ignore_residuals:
            keep &= self.pruning.statistics(entries)
        live = entries.take(np.flatnonzero(keep))
        return DeleteIndex(live, metadata.partition_specs, self._field)

    def _field(self, field_id: int) -> NestedField | None:
        """A column by its id, of the scan's schema or any other."""
        for schema in (self.schema, *self.table.metadata.schemas.values()):
            if (found := schema.find(field_id)) is not None:
                return found
        return None

    def _parts(self, listed: ManifestList, index: DeleteIndex, counts: Counts) -> Iterator[Plan]:
        """Plans of some manifests each."""
        wanted = self.limit
        deletes = index.entries.table(columns=set(_DELETE_COLUMNS))
        for entries in self._entries(listed, index):
            index.note(entries)
            part = self._part(entries, index, deletes, counts)
            counts = Counts()
            if wanted is not None:
                part = limited(part, wanted)
                wanted -= sure_rows(part)
            yield part
            if wanted is not None and wanted <= 0:
                return
        index.check_seen()

    def _entries(self, listed: ManifestList, index: DeleteIndex) -> Iterator[Entries]:
        """The entries of data manifests; none at all as one part of no entries."""
        is_empty = True
        for entries in stream_entries(
            listed,
            self.table.relocation.read,
            self.table.metadata.partition_specs,
            self.schema,
            columns=SCAN_COLUMNS,
            stats_for=self.pruning.columns | index.compared_ids,
            limits=self.table.limits,
        ):
            is_empty = False
            yield entries
        if is_empty:
            yield index.entries.take(np.zeros(0, np.intp))

    def _part(
        self, entries: Entries, index: DeleteIndex, deletes: pa.Table, counts: Counts
    ) -> Plan:
        """The plan of some entries."""
        by_partition = self.pruning.partitions(entries)
        by_statistics = self.pruning.statistics(entries)
        keep = by_partition & by_statistics
        counts.data_files += len(entries)
        counts.files_by_partition += int((~by_partition).sum())
        counts.files_by_statistics += int((by_partition & ~by_statistics).sum())
        counts.kept += int(keep.sum())
        rows = np.flatnonzero(keep)
        files = entries.table(rows, columns=set(_FILE_COLUMNS))
        paths = files.column("file_path").combine_chunks()
        pairs = index.match(entries, rows, paths)
        left = self._residuals(entries, keep)
        files = files.append_column("partition", pa.array(left.partition))
        files = files.append_column("residual", pa.array(left.which))
        files = files.append_column("deletes", pairs.lists(len(rows)))
        return Plan(files, deletes, left.expressions, left.partitions, left.types, counts)

    def _residuals(self, entries: Entries, keep: Flags) -> _Left:
        """What partitions leave of the filter for the kept files, and their partitions."""
        which, partition = np.zeros(len(entries), np.int32), np.zeros(len(entries), np.int32)
        expressions: list[Expression] = []
        partitions, types = {}, {}
        bound = TRUE if self.ignore_residuals else self.bound
        for spec_id in entries.partitions:
            spec = self.table.metadata.partition_specs[spec_id]
            of_spec, tuples = entries.partition(spec_id)
            kept = np.flatnonzero(keep[of_spec])
            if len(kept) < len(of_spec):
                of_spec, tuples = of_spec[kept], tuples.take(pa.array(kept))
            found = residuals(bound, spec, self.schema, tuples)
            which[of_spec] = found.which + len(expressions)
            partition[of_spec] = np.arange(len(of_spec))
            expressions += found.expressions
            partitions[spec_id], types[spec_id] = tuples, spec.partition_type(self.schema)
        return _Left(which[keep], partition[keep], tuple(expressions), partitions, types)


@dataclass(frozen=True, slots=True)
class _Left:
    """Residuals and partitions of the files of a part."""

    which: np.ndarray
    partition: np.ndarray
    expressions: tuple[Expression, ...]
    partitions: dict[int, pa.StructArray]
    types: dict[int, Any]
