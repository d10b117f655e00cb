"""Divide the rows of a scan into groups for executors, and read a group.

Groups have similar sizes. There are several for each core of the session, but none is too small to
be worth a task, or so large that it would take long to read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.iceberg.planning.parts import Pieces
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.reading.threads import read_tasks
from byteloom.late import pc
from byteloom.spark.packing import GROUPS_PER_CORE
from byteloom.spark.sources.iceberg_rows import divided
from byteloom.spark.sources.iceberg_table import SentTable

if TYPE_CHECKING:
    from byteloom.iceberg.scan import TableScan

__all__ = ["SentScan", "batches_of", "groups_of", "without_limit"]

_LEAST: Final = 8 << 20
_MOST: Final = 512 << 20
"""Most bytes of a group."""


@dataclass(frozen=True)
class SentScan:
    """The parts of a scan that executors need to read groups of it, in compact form.

    Attributes:
        columns: Names of columns; None for all of the schema.
    """

    table: SentTable
    schema_id: int
    columns: tuple[str, ...] | None
    case_sensitive: bool

    @classmethod
    def of(cls, scan: TableScan) -> SentScan:
        """Return *scan* in the form that is sent to executors."""
        table = SentTable.of(scan.table)
        return cls(table, scan.schema.schema_id, scan.columns, scan.case_sensitive)

    def context(self) -> ReadContext:
        """Return how the rows are read."""
        table = self.table.table()
        schema = table.metadata.schema(self.schema_id)
        return ReadContext(table, schema, self.columns, case_sensitive=self.case_sensitive)


def batches_of(context: ReadContext, group: bytes) -> Iterator[pa.RecordBatch]:
    """Yield the rows of one group, with deletes applied."""
    return read_tasks(context, Pieces.from_bytes(group).tasks(), threads=1)


def groups_of(scan: TableScan, cores: int) -> list[bytes]:
    """Divide the rows of a scan into groups for that number of cores."""
    plan = replace(scan, trusts_required=False).plan()
    total = int(pc.sum(plan.files["file_size_in_bytes"]).as_py() or 0)
    size = min(max(total // (GROUPS_PER_CORE * cores), _LEAST), _MOST)
    return [each.to_bytes() for each in divided(plan, size)]


def without_limit(scan: TableScan) -> TableScan:
    """Return *scan*; `FormatError` if it has a limit, which single groups cannot apply."""
    if scan.limit is not None:
        raise ArgumentError("limit", None, scan.limit, "a scan without a limit")
    return scan
