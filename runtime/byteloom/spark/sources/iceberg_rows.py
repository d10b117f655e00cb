"""Plan rows of Iceberg tables in Spark's planner, and read them in its executors.

- Filters are evaluated on manifests and files, and then on the rows that are left; Spark need not
  evaluate pushed filters again.
- A partition is a group of pieces of files; groups have similar sizes.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np
import pyarrow as pa
from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError, FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.ast import And, Expression, Operation, Or, Predicate, Reference
from byteloom.iceberg.expressions.binding import bind
from byteloom.iceberg.planning.parts import Pieces, pieces_of
from byteloom.iceberg.planning.plan import Plan
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.reading.threads import read_tasks
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.table import Table
from byteloom.iceberg.types import NestedType
from byteloom.spark.filters import pushed
from byteloom.spark.packing import part_size
from byteloom.spark.sources.iceberg_table import SentTable, opened
from byteloom.spark.sources.reading import Batches, Reader

if TYPE_CHECKING:
    from byteloom.iceberg.scan import TableScan

__all__ = [
    "MetadataReader",
    "RowBatches",
    "RowReader",
    "changed",
    "context_of",
    "divided",
    "metadata_columns",
]

_OPENING: Final = 4 << 20
"""Number of bytes whose reading costs as much as opening a file."""

_NOT_ASKED: Final = frozenset({"geography", "geometry", "time", "unknown", "variant"})
"""Kinds of columns whose values Spark represents differently from bounds and rows here."""

_OF_TEXT: Final = frozenset(
    {
        Operation.EQ,
        Operation.NOT_EQ,
        Operation.IN,
        Operation.NOT_IN,
        Operation.IS_NULL,
        Operation.NOT_NULL,
    }
)
"""Operations with the same meaning for UUIDs and for their text."""


def context_of(scan: TableScan) -> ReadContext:
    """Return the reader of the rows of a scan; `FormatError` for an unknown column."""
    changes = scan.has_changes
    return ReadContext(scan.table, scan.schema, scan.columns, changes=changes)


def changed(table: Table, kind: str | None, start: int | None, end: int | None) -> TableScan:
    """Return the scan of what changed after one snapshot, up to and including another.

    Args:
        kind: ``all`` for the changelog, otherwise only appended rows.
        start: None for all ancestors of *end*.
        end: None for the current snapshot.
    """
    return table.changelog(start, end) if kind == "all" else table.incremental_append(start, end)


class RowBatches(Batches):
    """Reads pieces of data files in executors, applying deletes and filters."""

    def __init__(self, schema: StructType, scan: TableScan) -> None:
        """Keep what reading needs of a scan, in compact form."""
        super().__init__(schema)
        self._sent = SentTable.of(scan.table)
        self._how = scan.schema.schema_id, scan.columns, scan.has_changes

    def batches(self, value: bytes) -> Iterator[pa.RecordBatch]:
        """Yield the rows of some pieces."""
        table = self._sent.table()
        schema_id, columns, changes = self._how
        schema = table.metadata.schema(schema_id)
        context = ReadContext(table, schema, columns, changes=changes)
        return read_tasks(context, Pieces.from_bytes(value).tasks(), threads=1)


class RowReader(RowBatches, Reader):
    """Plans a scan, and reads its rows."""

    def __init__(self, schema: StructType, scan: TableScan, split_size: int | None) -> None:
        """Keep the scan; nothing is planned."""
        super().__init__(schema, scan)
        self._planned = scan
        self._split_size = split_size

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the scan, which only the planner needs; executors get pieces."""
        return {key: each for key, each in self.__dict__.items() if key != "_planned"}

    def push(self, filters: list[Any]) -> Iterable[Any]:
        """Use the filters that mean the same in byteloom, and return the others."""
        schema = self._planned.schema
        asked, left = pushed(filters, partial(_type_of, schema), partial(_check, schema))
        self._planned = self._planned.where(asked)
        return left

    def values(self) -> Iterator[bytes]:
        """Yield the pieces of each task."""
        plan = replace(self._planned, trusts_required=False).plan()
        return map(Pieces.to_bytes, divided(plan, self._split_size))


class MetadataReader(Reader):
    """Reads a metadata table, in one task."""

    def __init__(
        self, schema: StructType, settings: dict[str, Any], kind: str, when: dict[str, Any]
    ) -> None:
        """Keep what selects the table, the metadata table and the snapshot."""
        super().__init__(schema)
        self._settings, self._kind, self._when = settings, kind, when

    def values(self) -> list[str]:
        """Return the value of the only task."""
        return [self._kind]

    def batches(self, value: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the metadata table."""
        names = list(self.schema.names)
        for batch in opened(self._settings).metadata_batches(value, **self._when):
            yield batch.select(names)


def metadata_columns(schema: pa.Schema, names: Sequence[str] | None) -> pa.Schema:
    """Return the named columns of a metadata table; `FormatError` for an unknown one."""
    unknown = [each for each in names or () if each not in schema.names]
    if unknown:
        wanted = f"a column of the metadata table: {', '.join(schema.names)}"
        raise ArgumentError("columns", None, repr(unknown[0]), wanted)
    return schema if names is None else pa.schema([schema.field(each) for each in names])


def divided(plan: Plan, split_size: int | None) -> Iterator[Pieces]:
    """Yield the work of each task: pieces of files of about *split_size* bytes together."""
    sizes = np.maximum(plan.files.column("file_size_in_bytes").to_numpy(), _OPENING)
    total = int(sizes.sum())
    split_size = part_size(total, split_size)
    even = -(-total // max(-(-total // split_size), 1))
    return pieces_of(plan.splits(max(even, 1), _OPENING))


def _type_of(schema: Schema, path: tuple[str, ...]) -> pa.DataType | None:
    """Return the Arrow type of a column; None if filters cannot use it."""
    found = schema.find(".".join(path))
    if found is None or schema.path(found.id) != path or schema.is_in_repeated(found.id):
        return None
    is_plain = not isinstance(found.type, NestedType) and found.type.kind not in _NOT_ASKED
    return arrow_type(found.type) if is_plain else None


def _check(schema: Schema, asked: Expression) -> None:
    """Refuse predicates that columns cannot evaluate, or would evaluate differently from Spark."""
    bind(asked, schema, trusts_required=False)
    for each in _predicates(asked):
        field = schema.find(str(each.term.name)) if isinstance(each.term, Reference) else None
        if field is not None and field.type.kind == "uuid":
            is_text = each.operation in _OF_TEXT and all(map(_is_canonical, each.literals))
            if not is_text:
                raise FormatError(str(each.term), None, str(each), "a predicate that UUIDs allow")


def _predicates(asked: Expression) -> Iterator[Predicate]:
    """Yield the predicates of an expression on column names."""
    if isinstance(asked, And | Or):
        yield from _predicates(asked.left)
        yield from _predicates(asked.right)
    elif isinstance(asked, Predicate):
        yield asked


def _is_canonical(text: str) -> bool:
    """Return whether a text is a UUID in Spark's form: in lower case, with dashes."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
