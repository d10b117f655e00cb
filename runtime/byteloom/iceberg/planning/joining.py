"""Join the parts of a plan, and limit it to the wanted number of rows.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.manifests.tuples import joined_tuples
from byteloom.iceberg.planning.plan import Counts, Plan
from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression

__all__ = ["are_counted", "joined", "limited", "sure_rows"]

_LISTS: Final = ("deletes", "changed_by")
"""Columns with rows of the delete files."""


def joined(parts: list[Plan]) -> Plan:
    """Return one plan of all *parts*, of which there is at least one.

    Many parts share one table of delete files.
    """
    if len(parts) == 1:
        return parts[0]
    deletes = _Deletes()
    numbers: dict[Expression, int] = {}
    before: dict[int, int] = {}
    tuples: dict[int, list[pa.StructArray]] = {}
    files, counts = [], Counts()
    for part in parts:
        for expression in part.residuals:
            numbers.setdefault(expression, len(numbers))
        files.append(deletes.renumbered(part, _renumbered(part, numbers, before)))
        for spec_id, each in part.partitions.items():
            tuples.setdefault(spec_id, []).append(each)
            before[spec_id] = before.get(spec_id, 0) + len(each)
        counts.add(part.counts)
    return Plan(
        files=pa.concat_tables(files),
        deletes=pa.concat_tables(deletes.tables),
        residuals=tuple(numbers),
        partitions={spec_id: joined_tuples(each) for spec_id, each in tuples.items()},
        types={spec_id: of for part in parts for spec_id, of in part.types.items()},
        counts=counts,
    )


def _renumbered(part: Plan, numbers: dict[Expression, int], before: dict[int, int]) -> pa.Table:
    """Return the files of a part with numbers that are valid in the whole plan."""
    new = np.array([numbers[each] for each in part.residuals], np.int32)
    residual = part.files.column("residual").to_numpy()
    spec_id = part.files.column("spec_id").to_numpy()
    partition = part.files.column("partition").to_numpy().copy()
    for each, count in before.items():
        partition[spec_id == each] += count
    files = _with(part.files, "residual", pa.array(new[residual]))
    return _with(files, "partition", pa.array(partition))


class _Deletes:
    """The delete files of several parts; those that parts share are included once."""

    def __init__(self) -> None:
        self.tables: list[pa.Table] = []
        self._first: dict[int, int] = {}
        self._rows = 0

    def renumbered(self, part: Plan, files: pa.Table) -> pa.Table:
        """Return the files of a part, with numbers of delete files as in the whole plan."""
        if id(part.deletes) not in self._first:
            self._first[id(part.deletes)] = self._rows
            self.tables.append(part.deletes)
            self._rows += part.deletes.num_rows
        first = self._first[id(part.deletes)]
        for name in _LISTS if first else ():
            if name in files.column_names:
                files = _with(files, name, _shifted(files.column(name).combine_chunks(), first))
        return files


def _shifted(lists: pa.ListArray, by: int) -> pa.ListArray:
    """Return lists whose numbers are increased by *by*."""
    values = pc.add(lists.flatten(), pa.scalar(by, pa.int32()))
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    mask = lists.is_null() if lists.null_count else None
    return pa.ListArray.from_arrays(offsets, values, mask=mask)


def _with(files: pa.Table, name: str, column: pa.Array) -> pa.Table:
    """Return the files with one column replaced."""
    return files.set_column(files.schema.get_field_index(name), name, column)


def limited(part: Plan, rows: int) -> Plan:
    """Return the first files of a part that certainly have *rows* matching rows, or all files."""
    sure = np.cumsum(_sure(part))
    needed = int(np.searchsorted(sure, rows)) + 1
    if needed >= len(part):
        return part
    counts = replace(part.counts)
    counts.files_by_limit += len(part) - needed
    counts.kept = needed
    return replace(part, files=part.files.slice(0, needed), counts=counts)


def sure_rows(part: Plan) -> int:
    """Return how many rows of a part certainly match."""
    return int(_sure(part).sum())


def are_counted(part: Plan) -> NDArray[np.bool_]:
    """Return for which files ``record_count`` is the number of matching rows.

    It may be wrong where it is 0.
    """
    files = part.files
    whole = np.array([each == TRUE for each in part.residuals] or [True])
    found: NDArray[np.bool_] = pc.fill_null(files.column("record_count"), 0).to_numpy() != 0
    found = found & (pc.list_value_length(files.column("deletes")).to_numpy() == 0)
    found &= whole[files.column("residual").to_numpy()]
    if "changed_by" in files.column_names:
        found &= files.column("changed_by").is_null().to_numpy()
    return found


def _sure(part: Plan) -> NDArray[np.int64]:
    """Return for each file the number of rows that certainly match."""
    counts = pc.fill_null(part.files.column("record_count"), 0).to_numpy()
    return np.where(are_counted(part), counts, 0)
