"""Parts of plans: joined, limited to the wanted number of rows, or cut into the work of a worker.

A plan has the delete files, residuals and partitions of all files; a group of files needs few of
them.  A group's pieces serialize to about a kilobyte, plus some dozens of bytes per file.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

import pickle
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.manifests.joining import joined_tuples
from byteloom.iceberg.planning.plan import Counts, Plan
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.planning.plan import FileTask, Splits


__all__ = ["Pieces", "are_counted", "joined", "limited", "pieces_of", "sure_rows"]

_DELETE_LISTS: Final = ("deletes", "changed_by")
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
        for name in _DELETE_LISTS if first else ():
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


@dataclass(frozen=True)
class Pieces:
    """Pieces of data files.

    Attributes:
        plan: The files, one row per piece.
        start: Where each piece begins, in bytes.
        length: The number of bytes of each piece.
    """

    plan: Plan
    start: list[int]
    length: list[int]

    def tasks(self) -> Iterator[FileTask]:
        """Yield the pieces as objects, created one at a time."""
        for task, start, length in zip(self.plan.tasks(), self.start, self.length, strict=True):
            yield replace(task, start=start, length=length)

    def to_bytes(self) -> bytes:
        """Serialize the pieces; `from_bytes` of the same version of byteloom reads them."""
        plan = self.plan
        partitions = {
            spec_id: _to_ipc(pa.table({"partition": each}))
            for spec_id, each in plan.partitions.items()
        }
        parts = (_to_ipc(plan.files), _to_ipc(plan.deletes), plan.residuals, partitions, plan.types)
        return zlib.compress(pickle.dumps((parts, self.start, self.length)), level=1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Pieces:
        """Return the pieces that `to_bytes` serialized; only for bytes from a trusted planner."""
        parts, start, length = pickle.loads(zlib.decompress(data))  # noqa: S301  (see above)
        files, deletes, residuals, partitions, types = parts
        tuples = {
            spec_id: _from_ipc(each).column("partition").combine_chunks()
            for spec_id, each in partitions.items()
        }
        plan = Plan(_from_ipc(files), _from_ipc(deletes), residuals, tuples, types)
        return cls(plan, start, length)


def pieces_of(splits: Splits) -> Iterator[Pieces]:
    """Yield the pieces of each group."""
    group, file, start, length = (splits.table.column(n).to_numpy() for n in range(4))
    edges = np.searchsorted(group, np.arange(len(splits) + 1))
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        plan = _only(splits.plan, file[first:end])
        yield Pieces(plan, start[first:end].tolist(), length[first:end].tolist())


def _only(plan: Plan, rows: Any) -> Plan:
    """Return the plan of some files, with only what they need."""
    files = plan.files.take(pa.array(rows))
    files = _with(files, "split_offsets", pa.nulls(len(files), files["split_offsets"].type))
    files, residuals = _used_values(files, "residual", plan.residuals)
    lists = [each for each in _DELETE_LISTS if each in files.column_names]
    used = _distinct([pc.list_flatten(files[each]) for each in lists])
    for each in lists:
        files = _with(files, each, _relisted(files[each].combine_chunks(), used))
    spec_ids = files["spec_id"].to_numpy()
    partition = files["partition"].to_numpy().copy()
    tuples = {}
    for spec_id in np.unique(spec_ids).tolist():
        of = spec_ids == spec_id
        places, partition[of] = np.unique(partition[of], return_inverse=True)
        tuples[spec_id] = plan.partitions[spec_id].take(pa.array(places))
    return Plan(
        files=_with(files, "partition", pa.array(partition)),
        deletes=plan.deletes.take(pa.array(used)),
        residuals=residuals,
        partitions=tuples,
        types={spec_id: plan.types[spec_id] for spec_id in tuples},
    )


def _used_values(files: pa.Table, name: str, values: tuple[Any, ...]) -> tuple[pa.Table, Any]:
    """Return files whose column *name* is renumbered, and the *values* that they use."""
    numbers = files[name].to_numpy()
    used, new = np.unique(numbers, return_inverse=True)
    kept = tuple(values[each] for each in used.tolist())
    return _with(files, name, pa.array(new.astype(numbers.dtype))), kept


def _distinct(columns: list[pa.ChunkedArray]) -> Any:
    """Return all numbers in some columns, each once, in order."""
    return np.unique(np.concatenate([each.to_numpy() for each in columns]))


def _relisted(lists: Any, used: Any) -> pa.Array:
    """Return lists of rows of delete files, renumbered among the used rows."""
    values = pc.list_flatten(lists).to_numpy()
    new = pa.array(np.searchsorted(used, values).astype(values.dtype), lists.type.value_type)
    counts = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    offsets = pa.array(np.append(0, np.cumsum(counts)), pa.int32())
    mask = lists.is_null() if lists.null_count else None
    return pa.ListArray.from_arrays(offsets, new, type=lists.type, mask=mask)


def _with(table: pa.Table, name: str, column: Any) -> pa.Table:
    """Return a table with one column replaced."""
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(at).with_type(column.type), column)


def _to_ipc(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _from_ipc(data: bytes) -> Any:
    return pa.ipc.open_stream(data).read_all()
