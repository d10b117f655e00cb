"""A stream of commits to an Iceberg table: appended rows, or all changes.

- An offset is a snapshot, all of whose rows have been read; -1 is before the first one.  A batch
  has one or more whole snapshots, so limits can only apply to batches of several.
- Batches are planned again after a failure, from the same two snapshots, and so have the same rows
  as long as neither has expired.
- The columns are those that the table had when the stream began.

Source: Iceberg table spec, "Snapshots" (``operation``, ``summary``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadMaxBytes,
    ReadMaxFiles,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError, FormatError
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.scan import AddedScan, TableScan
from byteloom.iceberg.table import Table
from byteloom.late import pc
from byteloom.spark.sources.iceberg_rows import RowBatches, changed, divided
from byteloom.spark.sources.iceberg_table import opened
from byteloom.spark.sources.reading import Batches, Partition
from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["ChangeReader"]

_NOTHING: Final = -1
"""The offset before the first snapshot."""

_LIMITS: Final = {
    "max_rows": (ReadMaxRows, "added-records", "record_count"),
    "max_files": (ReadMaxFiles, "added-data-files", None),
    "max_bytes": (ReadMaxBytes, "added-files-size", "file_size_in_bytes"),
}
"""Options that limit a batch, each with Spark's class, the key of a snapshot's summary, and the
column of its data files whose sum that is; None for the number of files."""


class ChangeReader(Batches, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Finds new snapshots, and reads their rows."""

    def __init__(
        self, schema: StructType, settings: dict[str, Any], names: Sequence[str] | None
    ) -> None:
        """Keep the options; nothing is read.

        Args:
            names: Names of the columns; None for those of *schema*.

        Raises:
            FormatError: Options that a stream cannot have, or that exclude each other.
        """
        super().__init__(schema)
        self._settings = settings
        self._names = tuple(schema.names) if names is None else tuple(names)
        self._is_changelog = settings["changes"] == "all"
        begin, usual = settings["starting"], "earliest" if self._is_changelog else "table"
        self._starting = usual if begin is None else begin
        self._last: int | None = None
        self._counts: dict[tuple[int, str], int] = {}
        for name in ("as_of", "metadata_table", "snapshot"):
            if settings[name] is not None:
                raise _refused(
                    name, settings[name], "nothing: a stream reads what is committed later"
                )
        if self._is_changelog and self._starting == "table":
            raise _refused("starting", "table", "earliest, latest or a snapshot, for a changelog")
        self._limit()

    def initialOffset(self) -> dict[str, int]:  # noqa: N802  (Spark's name)
        """Return the offset at which the option ``starting`` makes the stream begin."""
        if self._starting in {"table", "earliest"}:
            return {"snapshot": _NOTHING}
        table = opened(self._settings)
        if self._starting == "latest":
            return {"snapshot": self._newest(table)}
        return {"snapshot": _known(table, self._starting).snapshot_id}

    def getDefaultReadLimit(self) -> Any:  # noqa: N802  (Spark's name)
        """Return the limit of a batch that the options set."""
        return self._limit()

    def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:  # noqa: N802
        """Return the snapshot at which the next batch ends; *start* if there is no new one."""
        table = opened(self._settings)
        last = self._newest(table) if self._last is None else self._last
        first = start["snapshot"]
        if last in {first, _NOTHING}:
            return start
        if first == _NOTHING and self._starting == "table":
            return {"snapshot": last}
        chain = _after(table, first, last)
        return {"snapshot": self._limited(table, chain, limit).snapshot_id} if chain else start

    def reportLatestOffset(self) -> dict[str, int]:  # noqa: N802  (Spark's name)
        """Return the newest snapshot."""
        return {"snapshot": self._newest(opened(self._settings))}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  (Spark's name)
        """Read the current rows, and none that are committed later."""
        self._last = self._newest(opened(self._settings))

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[Partition]:
        """Return the work of each task, for a batch between two offsets."""
        first, last = start["snapshot"], end["snapshot"]
        if first == last:
            return []
        scan = self._scan(opened(self._settings), first, last)
        rows = RowBatches(self.schema, scan)
        plan = replace(scan, trusts_required=False).plan()
        pieces = divided(plan, self._settings["split_size"])
        return [Partition((rows, each.to_bytes())) for each in pieces] if len(plan) else []

    def batches(self, value: tuple[RowBatches, bytes]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of some pieces."""
        rows, pieces = value
        return rows.batches(pieces)

    def _scan(self, table: Table, first: int, last: int) -> TableScan:
        """Return the scan of a batch."""
        if first == _NOTHING and self._starting == "table":
            scan = replace(table.scan(snapshot=last), schema=table.schema)
        else:
            chain = _after(table, first, last)
            if not self._is_changelog and self._settings["others"] == "refuse":
                _check_appends(chain)
            begin = None if first == _NOTHING else first
            scan = changed(table, self._settings["changes"], begin, last)
        wanted = self._settings["filter"]
        scan = scan.select(*self._names)
        return scan if wanted is None else scan.where(wanted)

    def _newest(self, table: Table) -> int:
        """Return the current snapshot of the table, or of the branch that an option names."""
        found = table.snapshot_for(ref=self._settings["ref"])
        return _NOTHING if found is None else found.snapshot_id

    def _limited(self, table: Table, chain: Sequence[Snapshot], limit: Any) -> Snapshot:
        """Return a batch's last snapshot: the first new one, or a later one within the limit."""
        for kind, number, column in _LIMITS.values():
            if isinstance(limit, kind):
                (most,) = vars(limit).values()
                total = 0
                for at, each in enumerate(chain):
                    total += self._count(table, each, number, column)
                    if at and total > most:
                        return chain[at - 1]
        return chain[-1]

    def _count(self, table: Table, snapshot: Snapshot, number: str, column: str | None) -> int:
        """Return how much a snapshot added, by its summary or, without one, by its manifests."""
        text = str((snapshot.summary or {}).get(number, ""))
        if text.isdecimal() and len(text) < 20:  # noqa: PLR2004  (64 bits)
            return int(text)
        key = snapshot.snapshot_id, number
        if key not in self._counts:
            files = AddedScan(table, snapshot, table.schema, TRUE).plan().files
            total = len(files) if column is None else pc.sum(files[column]).as_py()
            self._counts[key] = total or 0
        return self._counts[key]

    def _limit(self) -> Any:
        given = [name for name in _LIMITS if self._settings[name] is not None]
        if len(given) > 1:
            raise _refused(given[1], self._settings[given[1]], f"{given[0]} alone")
        if not given:
            return ReadAllAvailable()
        return _LIMITS[given[0]][0](self._settings[given[0]])


def _refused(name: str, found: object, wanted: str) -> FormatError:
    return ArgumentError(f"byteloom.iceberg option {name}", None, repr(found), wanted)


def _known(table: Table, text: str) -> Snapshot:
    """Return the snapshot with the id that an option gives."""
    if not text.isdecimal():
        raise _refused("starting", text, "table, earliest, latest or the id of a snapshot")
    found = table.snapshot_for(snapshot=int(text))
    if found is None:
        raise _refused("starting", text, "the id of a snapshot")
    return found


def _after(table: Table, first: int, last: int) -> list[Snapshot]:
    """Return the snapshots after *first* up to *last*, oldest first.

    Raises:
        FormatError: *first* is no ancestor of *last*, or snapshots between them have expired.
    """
    chain = table.metadata.ancestors(last)[::-1]
    ids = [each.snapshot_id for each in chain]
    if first in ids:
        return chain[ids.index(first) + 1 :]
    if chain and chain[0].parent_snapshot_id == first:  # only the first snapshot has expired
        return chain
    if first == _NOTHING and (not chain or _is_first(chain[0])):
        return chain
    found = f"a history that begins with snapshot {ids[0]}" if ids else "no snapshot"
    wanted = "all of it" if first == _NOTHING else f"snapshot {first}, which the stream has read"
    error = FormatError("snapshots", None, found, wanted)
    raise error.in_file(table.metadata_location)


def _is_first(snapshot: Snapshot) -> bool:
    """Return whether a snapshot has no parent; expiring snapshots may have removed it too."""
    return snapshot.parent_snapshot_id is None and (snapshot.sequence_number or 0) <= 1


def _check_appends(chain: Sequence[Snapshot]) -> None:
    """Refuse snapshots that deleted rows, which a stream of appends cannot show."""
    for each in chain:
        operation = (each.summary or {}).get("operation")
        if operation not in {"append", "replace", None}:
            wanted = "an append; others=skip ignores it, changes=all reads what it did"
            raise FormatError(f"snapshot {each.snapshot_id}", None, repr(operation), wanted)
