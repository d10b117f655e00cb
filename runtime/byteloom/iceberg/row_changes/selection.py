"""Which rows of a table a change is about, file by file.

The rules:

- The rows of a filter are those that a scan with it returns; deleted rows are not selected.
- A file in which all rows match, by its partition or its statistics, is selected as a whole and is
  not read. Those whose rows are deleted stay columns of a plan.
- Positions are kept as bitmaps: millions of rows take little memory.

Source: Iceberg table spec, "Scan Planning" and "Row-level Deletes".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import pyarrow as pa

from byteloom.iceberg.commits.filtering import FoundIn
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.manifests.manifest_list import named_by
from byteloom.iceberg.planning.planned_scan import PlannedScan
from byteloom.iceberg.planning.planner import Planner
from byteloom.iceberg.reading.found_rows import found_rows
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.late import pc
from byteloom.puffin.deletion_vector import DeletionVector

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from byteloom.iceberg.planning.plan import DeleteFile, FileTask, Plan
    from byteloom.iceberg.reading.found_rows import FoundRows, Lookup

__all__ = ["ChangeScan", "SelectedRows", "own_deletes", "rows_found", "selected_rows"]


@dataclass(frozen=True, repr=False)
class ChangeScan(PlannedScan):
    """A scan for rows that are to be changed."""

    changes_rows: ClassVar[bool] = True

    @cached_property
    def planned(self) -> Plan:
        """The plan, which is made once."""
        return self.plan()

    @cached_property
    def whole(self) -> Plan:
        """The files in which all rows match."""
        return self.planned.only(pa.array(self._are_whole))

    @cached_property
    def partial(self) -> Plan:
        """The other files of the plan, in which some rows may match."""
        return self.planned.only(pa.array(~self._are_whole))

    @property
    def _are_whole(self) -> NDArray[np.bool_]:
        """For each file of the plan, whether all rows match."""
        residuals = np.array([each == TRUE for each in self.planned.residuals], np.bool_)
        return np.asarray(residuals[self.planned.files["residual"].to_numpy()], np.bool_)

    def found_in(self, paths: Collection[str]) -> FoundIn:
        """Return the manifests that have some data files of the plan, and their delete files."""
        files = self.planned.files
        wanted = pa.array(paths, files["file_path"].type)
        files = files.filter(pc.is_in(files["file_path"], value_set=wanted))
        having = set(pc.unique(files["manifest"]).to_pylist())
        if self.planned.deletes.num_rows:
            rows = pc.unique(pc.list_flatten(files["deletes"]))
            having |= set(self.planned.deletes["manifest"].take(rows).to_pylist())
        return FoundIn(frozenset(self.table.manifests(self.snapshot).paths), frozenset(having))

    def plan_stream(self) -> Iterator[Plan]:
        """Yield the plan in parts, some manifests at a time."""
        return Planner(self).parts(self.sources())


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """Selected rows of a data file.

    Attributes:
        task: The data file, without a filter on its rows.
        rows: Their positions; None for all rows that are not deleted.
        numbers: What the lookup returned for each of them, in the order of the positions.
    """

    task: FileTask
    rows: DeletionVector | None
    numbers: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, found: FoundRows, *, is_numbered: bool) -> Self:
        """Return rows that were found."""
        task = replace(found.task, residual=TRUE)
        rows = DeletionVector.from_positions(found.positions)
        return cls(task, rows, found.numbers if is_numbered else None)

    @property
    def own_deletes(self) -> Iterator[DeleteFile]:
        """The delete files that are about this data file alone."""
        path = self.task.file_path
        return (each for each in self.task.deletes if each.referenced_data_file == path)

    def are_among(self, positions: range) -> NDArray[np.bool_]:
        """Return which of some positions are those of selected rows."""
        if self.rows is None:
            return np.ones(len(positions), np.bool_)
        return self.rows.mask(positions.start, len(positions))

    def numbers_of(self, positions: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the numbers of selected rows by their positions; None without a lookup."""
        if self.numbers is None or self.rows is None:
            return None
        return self.numbers[np.searchsorted(self.rows.positions(), positions)]


def selected_rows(
    scan: ChangeScan, columns: tuple[str, ...] = (), lookup: Lookup | None = None
) -> Iterator[SelectedRows]:
    """Yield the rows of a scan, file by file: first those of files in which all rows match.

    Files without such rows are left out.

    Args:
        scan: The scan.
        columns: The columns that *lookup* is given.
        lookup: Returns a number for each row, negative for one that is not selected; all rows that
            match the filter are selected if None.

    Raises:
        FormatError: A filter on a column that the table lacks, or a damaged file.
        StorageError: A missing file.
    """
    if lookup is None:
        for task in scan.whole.tasks():
            yield SelectedRows(task, None)
    yield from rows_found(scan, columns, lookup)


def rows_found(
    scan: ChangeScan, columns: tuple[str, ...] = (), lookup: Lookup | None = None
) -> Iterator[SelectedRows]:
    """Yield what `selected_rows` does, of those files alone that must be read for it."""
    context = ReadContext.of(scan, columns)
    plan = scan.partial if lookup is None else scan.planned
    with named_by(scan.only_snapshot):
        for each in found_rows(context, plan.tasks(), lookup):
            yield SelectedRows.of(each, is_numbered=lookup is not None)


def own_deletes(plan: Plan) -> dict[tuple[str, int | None], str]:
    """Return the delete files that are each about one data file of a plan alone.

    Returns:
        By the path of a delete file, and the offset of a deletion vector in it or None, the path of
        the data file.
    """
    if not plan.deletes.num_rows:
        return {}
    lists = plan.files["deletes"].combine_chunks()
    rows = pc.list_flatten(lists)
    paths = plan.files["file_path"].take(pc.list_parent_indices(lists))
    named = plan.deletes.take(rows)
    is_own = pc.equal(named["referenced_data_file"].cast(paths.type), paths).fill_null(False)  # noqa: FBT003  its value
    named, paths = named.filter(is_own), paths.filter(is_own)
    places = zip(named["file_path"].to_pylist(), named["content_offset"].to_pylist(), strict=True)
    return dict(zip(places, paths.to_pylist(), strict=True))
