"""What a scan asks for, as planning and reading need it, and the manifests that are planned.

The rules:

- A scan is a value: nothing is read before `PlannedScan.plan` reads the manifests.
- The schema is that of the snapshot if an id, a moment or a tag names it, else the current one.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.expressions.binding import bind
from byteloom.iceberg.planning.parts import joined
from byteloom.iceberg.planning.pruning import Filter
from byteloom.iceberg.planning.scan_columns import selected
from byteloom.iceberg.transforms import to_human
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.late import pc
from byteloom.storage.naming import about_file
from byteloom_generated.iceberg.manifests import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.expressions.stats import Flags
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.partition_spec import PartitionField
    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import Type
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["DATA", "DELETES", "ManifestSource", "PlannedScan", "partition_texts"]

DATA: Final = 0
DELETES: Final = 1


@dataclass(frozen=True, slots=True)
class ManifestSource:
    """Manifests, and which of their entries are planned.

    Attributes:
        listed: The manifests of a snapshot.
        change: The id of the snapshot whose changes are planned; None for all live files.
        ordinal: The snapshot's place in a changelog, which has deleted files too; None without a
            changelog.
    """

    listed: ManifestList
    change: int | None = None
    ordinal: int | None = None

    def kept(self, content: int) -> Flags:
        """Return bool[manifest]: whether it may have files of that content to plan.

        One that has nothing live by its list is read all the same: what the list says is checked.
        """
        listed = self.listed
        keep = listed.numbers("content") == content
        if self.change is not None:
            keep &= np.isin(listed.numbers("added_snapshot_id"), (self.change, -1))
        return np.asarray(keep)

    def of_change(self, entries: Entries) -> Entries:
        """Return the entries to plan."""
        if self.change is None:
            return entries
        wanted = (entries.snapshot_id == self.change) & (entries.status != EntryStatus.EXISTING)
        return entries.view(np.flatnonzero(wanted))


@dataclass(frozen=True)
class PlannedScan(ABC):
    """The rows and columns of a table that a scan is to read.

    Attributes:
        table: The table.
        snapshot: The snapshot to read; None for a table without one.
        schema: The schema whose columns the filter and *columns* name.
        filter: The condition on rows, by column names.
        columns: Names of the columns that are wanted; None for all.
        case_sensitive: Whether names must match in case.
        ignore_residuals: Plan as if the files that are left had only matching rows.
        limit: The greatest number of rows to return.
        trusts_required: Plan as if no required column had nulls, as all planners do; reading rows
            does not assume it.
    """

    table: StoredTable
    snapshot: Snapshot | None
    schema: Schema
    filter: Expression = TRUE
    columns: tuple[str, ...] | None = None
    case_sensitive: bool = True
    ignore_residuals: bool = False
    limit: int | None = None
    trusts_required: bool = True
    has_changes: ClassVar[bool] = False
    changes_rows: ClassVar[bool] = False
    """Whether the rows are to be changed: all deletes of each file are then planned, whatever they
    delete, and files in which all rows match have no residual."""

    def __post_init__(self) -> None:
        """Refuse a limit that is not a number of rows."""
        if self.limit is not None:
            whole_number("limit", self.limit, "a number of rows, 0 or more", least=0)

    @cached_property
    def bound(self) -> Expression:
        """The filter bound to the schema; `FormatError` for a column that the schema lacks."""
        with about_file(self.table.metadata_location):
            return bind(
                self.filter,
                self.schema,
                case_sensitive=self.case_sensitive,
                trusts_required=self.trusts_required,
                former=self.table.metadata.schemas.values(),
            )

    @cached_property
    def pruning(self) -> Filter:
        """The filter in the form that excludes manifests and files."""
        return Filter(self.bound, self.schema, self.table.metadata.partition_specs)

    @property
    def takes_fitting_deletes(self) -> bool:
        """Whether delete files that delete no matching row are left out."""
        return not (self.ignore_residuals or self.changes_rows)

    @property
    def only_snapshot(self) -> Snapshot | None:
        """The snapshot that has all files of the scan; None if they are of several, or of none."""
        return self.snapshot

    def check_columns(self) -> None:
        """Refuse a column that the schema lacks, before anything is read."""
        if self.columns is None:
            return

        with about_file(self.table.metadata_location):
            selected(
                self.schema,
                self.columns,
                self.table.metadata,
                case_sensitive=self.case_sensitive,
                changes=self.has_changes,
            )

    def plan(self) -> Plan:
        """Return all files that must be read.

        Raises:
            FormatError: Damaged manifests, or ones that contradict their list.
            StorageError: Files that are missing.
        """
        return joined(list(self.plan_stream()))

    @abstractmethod
    def plan_stream(self) -> Iterator[Plan]:
        """Yield the plan in parts, some manifests at a time: memory stays bounded.

        Every part has the delete files; the first one counts the manifests.
        """

    def sources(self) -> Iterator[ManifestSource]:
        """Yield the manifests that are planned."""
        yield ManifestSource(self.table.manifests(self.snapshot))


def partition_texts(scan: PlannedScan, part: Plan) -> pa.Array:
    """Return the partition of each file of a plan, as ``city=Oslo, day=2024-01-01``."""
    files = part.files
    specs, rows = files["spec_id"].to_numpy(), files["partition"].to_numpy()
    texts, order = [pa.array([], pa.string())], np.empty(len(specs), np.int64)
    done = 0
    for spec_id in np.unique(specs).tolist():
        places = np.flatnonzero(specs == spec_id)
        texts.append(_texts(scan, part, spec_id, rows[places]))
        order[places] = np.arange(done, done + len(places))
        done += len(places)
    return pa.concat_arrays(texts).take(pa.array(order))


def _texts(scan: PlannedScan, part: Plan, spec_id: int, rows: NDArray[np.int32]) -> pa.Array:
    """Return the partitions of a spec with these numbers, as text."""
    columns = part.partitions[spec_id].take(pa.array(rows)).flatten()
    named = {
        each.name: (each.type, column)
        for each, column in zip(part.types[spec_id].fields, columns, strict=True)
    }
    fields = scan.table.metadata.partition_specs[spec_id].fields
    if not fields:
        return pa.array([""] * len(rows), pa.string())
    texts = [_field_text(scan, each, *named[each.name]) for each in fields]
    return pc.binary_join_element_wise(*texts, ", ")


def _field_text(scan: PlannedScan, field: PartitionField, kind: Type, column: pa.Array) -> pa.Array:
    """Return a column of partition values as text; each distinct value is converted once."""
    source = scan.schema.find(field.source_id)

    def text(value: Any) -> str:
        shown = str(value) if source is None else to_human(field.transform, source.type, value)
        return f"{field.name}={shown}"

    coded = column.dictionary_encode()
    texts = pa.array(map(text, storage_values(kind, coded.dictionary)), pa.string())
    return texts.take(coded.indices).fill_null(text(None))
