"""The work of one worker: the pieces of a group of files, with everything for reading them.

A plan has the delete files, residuals and partitions of all files; a group of files needs
few of them.  A group's pieces serialize to about a kilobyte, plus some dozens of bytes per file.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

import pickle
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.planning.plan import Plan
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.planning.plan import Splits
    from byteloom.iceberg.planning.tasks import FileTask

__all__ = ["Pieces", "pieces_of"]

_DELETES: Final = ("deletes", "changed_by")
"""Columns with rows of the delete files."""


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
    files, residuals = _renumbered(files, "residual", plan.residuals)
    lists = [each for each in _DELETES if each in files.column_names]
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


def _renumbered(files: pa.Table, name: str, values: tuple[Any, ...]) -> tuple[pa.Table, Any]:
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
