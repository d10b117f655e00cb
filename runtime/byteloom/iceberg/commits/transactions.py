"""A transaction: the verbs of a table, whose changes are committed together at the end.

Source: Iceberg table spec, "Optimistic Concurrency"; Java's ``Transaction``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, cast

from byteloom.errors import ArgumentError
from byteloom.iceberg.commits.attempts import commit_again, may_be_made, requirements_of
from byteloom.iceberg.commits.steps import Steps
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.metadata.document import MAIN
from byteloom.iceberg.stored_table import AnyTable
from byteloom_generated.iceberg.table_updates import SetSnapshotRef

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.scan import TableScan

__all__ = ["Transaction"]


class Transaction(Generic[AnyTable]):
    """Several changes of one branch; the end of ``with`` commits them, an error drops them all.

    Attributes:
        table: The table with the changes so far; after ``with``, the table after the commit.
    """

    def __init__(self, table: AnyTable, branch: str) -> None:
        """Begin without changes."""
        table.catalog.check(table)
        self._base, self._branch = table, branch
        self._steps = Steps(table)
        self._is_open = False
        self.table = cast("AnyTable", self._steps.table)

    def __enter__(self) -> Self:
        self._is_open = True
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._is_open = False
        if kind is not None:
            self._steps.remove()
            return
        try:
            self.table = commit_again(self._base, self._updates)
        except BaseException as error:
            if not may_be_made(error, self._base, self._steps.snapshots):
                self._steps.remove()
            raise

    def append(self, rows: Any) -> None:
        """Add rows; see `Table.append`."""
        self._do("append", rows)

    def delete(self, filter: Expression | str) -> None:  # noqa: A002  as in `Table.delete`
        """Delete the rows that match; see `Table.delete`."""
        self._do("delete", filter)

    def update(self, values: Mapping[str, Any], filter: Expression | str) -> None:  # noqa: A002
        """Give the rows that match new values; see `Table.update`."""
        self._do("update", values, filter)

    def upsert(self, rows: Any, on: str | Sequence[str] | None = None, **when: str) -> None:
        """Replace the rows with the same keys, and add the others; see `Table.upsert`."""
        self._do("upsert", rows, on, **when)

    def overwrite(self, rows: Any, filter: Expression | str = TRUE) -> None:  # noqa: A002
        """Put rows in the place of those that match; see `Table.overwrite`."""
        self._do("overwrite", rows, filter)

    def overwrite_partitions(self, rows: Any) -> None:
        """Put rows in the place of their partitions; see `Table.overwrite_partitions`."""
        self._do("overwrite_partitions", rows)

    def add_files(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        """Add files that exist already; see `Table.add_files`."""
        self._do("add_files", paths)

    def delete_keys(self, keys: Any, on: str | Sequence[str] | None = None) -> None:
        """Delete the rows with some keys; see `Table.delete_keys`."""
        self._do("delete_keys", keys, on)

    def set_properties(self, properties: Mapping[str, str]) -> None:
        """Set properties of the table; see `Table.set_properties`."""
        self._call("set_properties", properties)

    def remove_properties(self, *names: str) -> None:
        """Remove properties of the table; see `Table.remove_properties`."""
        self._call("remove_properties", *names)

    def scan(self, filter: Expression | str = "true", **how: Any) -> TableScan:  # noqa: A002
        """Return a scan of the branch with the changes so far; see `Table.scan`."""
        is_there = self._branch != MAIN and self._branch in self.table.metadata.refs
        ref = {"ref": self._branch} if is_there else {}
        scan: Callable[..., TableScan] = getattr(self.table, "scan")  # noqa: B009  of `Table`
        return scan(filter, **ref, **how)

    def _do(self, verb: str, *args: Any, **more: Any) -> None:
        """Call a verb of the table for the branch."""
        self._call(verb, *args, branch=self._branch, **more)

    def _call(self, verb: str, *args: Any, **more: Any) -> None:
        """Call a verb of the table, which returns the table after it."""
        if not self._is_open:
            raise ArgumentError("transaction", None, "a change outside of with", "one inside it")
        self.table = getattr(self.table, verb)(*args, **more)

    def _updates(self, base: AnyTable, attempt: int) -> tuple[list[JsonRecord], list[JsonRecord]]:
        """Return what must hold, and all that changes."""
        changes = self._steps.again(base, attempt)
        refs = [each.ref_name for each in changes if isinstance(each, SetSnapshotRef)]
        return requirements_of(base, *refs), changes
