"""Several changes of a table that are committed as one.

The rules:

- Each change is made on the state that the changes before it left; the table's catalog knows
  nothing of it until all are committed.
- If another writer was first, all are made again on the newest state, each with its own checks.
- A branch moves once, over all its new snapshots: the snapshot log names only the last.
- If the commit fails, all files that the changes wrote are removed; if it may have been made all
  the same, none is.

Source: Iceberg table spec, "Optimistic Concurrency"; Java's ``Transaction``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, cast

from byteloom.errors import Unsupported
from byteloom.iceberg.metadata import Relocation
from byteloom.iceberg.metadata.updating import updated
from byteloom.iceberg.stored_table import AnyTable
from byteloom_generated.iceberg.table_updates import AddSnapshot, SetSnapshotRef

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.metadata import HasMetadataLocation, TableMetadata
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.limits import Limits
    from byteloom.storage.targets import Target

    Updates = Callable[[Any, int], tuple[list[JsonRecord], list[JsonRecord]]]

__all__ = ["Steps"]


@dataclass(frozen=True)
class _Recording(Relocation):
    """Where files are, and which were created through it.

    Attributes:
        created: The paths of the created files, as written.
    """

    created: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, plain: Relocation) -> _Recording:
        """Return the same map, with no file created yet."""
        return cls(**{each.name: getattr(plain, each.name) for each in fields(plain)})

    def create(self, path: str) -> Target:
        """Open a new file for writing."""
        self.created.append(path)
        return Relocation.create(self, path)

    def write(self, path: str, data: bytes) -> None:
        """Write a file, whole or not at all."""
        self.created.append(path)
        Relocation.write(self, path, data)


class Steps:
    """A catalog of one table, whose commits wait to be committed to the table's own catalog.

    Attributes:
        base: The table before all changes.
        table: The table after the changes so far.
        changes: Their updates.
    """

    def __init__(self, base: StoredTable) -> None:
        """Begin without changes."""
        self.base = base
        self._files = _Recording.of(base.relocation)
        self._steps: list[Updates] = []
        self.table = self._bound(base)
        self.changes: list[JsonRecord] = []

    def add(self, updates: Updates) -> StoredTable:
        """Make a change, as `commit_again` would; return the table after it."""
        _, changes = updates(self.table, 1)
        if changes:
            self._steps.append(updates)
            self.changes += changes
            self.table = _after(self.table, changes)
        return self.table

    def again(self, base: StoredTable, attempt: int) -> list[JsonRecord]:
        """Return the updates of all changes on a state of the table, made again if it is another.

        Args:
            base: The state.
            attempt: The number of the attempt, counted from 1.
        """
        if base.metadata is not self.base.metadata:
            state = self._bound(base)
            self.changes = []
            for step in self._steps:
                _, changes = step(state, attempt)
                self.changes += changes
                state = _after(state, changes)
        last = {each.ref_name: each for each in self.changes if isinstance(each, SetSnapshotRef)}
        return [
            each
            for each in self.changes
            if not isinstance(each, SetSnapshotRef) or last[each.ref_name] is each
        ]

    @property
    def snapshots(self) -> list[int]:
        """The ids of the snapshots that the changes add."""
        return [e.snapshot["snapshot-id"] for e in self.changes if isinstance(e, AddSnapshot)]

    def remove(self) -> None:
        """Remove all files that the changes wrote."""
        for path in self._files.created:
            self.base.relocation.remove(path)

    def _bound(self, table: StoredTable) -> StoredTable:
        """Return a table whose commits come here."""
        place = table.metadata, table.metadata_location, self._files, table.limits
        return type(table)(*place, catalog=self, name=table.name)

    def check(self, table: StoredTable) -> None:  # noqa: ARG002  it is the one table
        """Refuse a table to which its own catalog cannot commit."""
        self.base.catalog.check(self.base)

    def newest(self, table: AnyTable) -> AnyTable:
        """Return the table after the changes so far."""
        del table
        return cast("AnyTable", self.table)

    def commit(
        self,
        table: AnyTable,
        requirements: Sequence[JsonRecord],
        updates: Sequence[JsonRecord],
    ) -> AnyTable:
        """Make a change that depends on no state of the table."""
        del table
        changes = list(updates)
        return cast("AnyTable", self.add(lambda *_: (list(requirements), changes)))

    def load(self, name: str) -> str | HasMetadataLocation:
        """Refuse: a transaction has one table."""
        raise _refused(name)

    def drop(self, name: str) -> None:
        """Refuse: a transaction has one table."""
        raise _refused(name)

    def list(self, namespace: str) -> list[str]:
        """Refuse: a transaction has one table."""
        raise _refused(namespace)

    def create(
        self,
        name: str,
        metadata: TableMetadata,
        relocation: Relocation,
        limits: Limits,
    ) -> str:
        """Refuse: a transaction has one table."""
        del metadata, relocation, limits
        raise _refused(name)


def _after(table: StoredTable, changes: Sequence[JsonRecord]) -> StoredTable:
    """Return a table after updates that no metadata file has yet."""
    return table.at(updated(table.metadata, changes), table.metadata_location)


def _refused(name: str) -> Unsupported:
    return Unsupported("catalog", None, repr(name), "the one table of the transaction")
