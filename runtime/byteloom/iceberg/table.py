"""A table with all that can be done with it: scans, metadata tables, checks and changes.

Each method hands over to a room of its own, which is imported when it is first needed; the state
that rooms are given is a `StoredTable`, the base class.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never, Self

from byteloom.errors import ArgumentError
from byteloom.iceberg.expressions.ast import TRUE, Expression
from byteloom.iceberg.expressions.text import as_expression
from byteloom.iceberg.metadata import Relocation, find_metadata, metadata_place
from byteloom.iceberg.metadata.document import MAIN
from byteloom.iceberg.metadata.opening import read_metadata
from byteloom.iceberg.metadata.relocation import Access
from byteloom.iceberg.stored_table import StoredTable
from byteloom.late import LateModule
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.allowed import Allowed
from byteloom.storage.local import LOCAL_URL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from byteloom.errors import ByteloomError
    from byteloom.iceberg import creating, metadata_tables, scan, verification
    from byteloom.iceberg.commits import (
        adding_files,
        appending,
        catalogs,
        cherry_picking,
        evolving,
        folder_catalog,
        references,
        replacing,
        transactions,
    )
    from byteloom.iceberg.commits.evolving import Evolution
    from byteloom.iceberg.commits.transactions import Transaction
    from byteloom.iceberg.metadata import HasMetadataLocation
    from byteloom.iceberg.row_changes import verbs
    from byteloom.iceberg.scan import AppendScan, ChangelogScan, TableScan
    from byteloom.iceberg.schema import Schema
    from byteloom.moments import Moment
else:  # a verb imports its room when it is first called
    adding_files = LateModule("byteloom.iceberg.commits.adding_files")
    appending = LateModule("byteloom.iceberg.commits.appending")
    catalogs = LateModule("byteloom.iceberg.commits.catalogs")
    cherry_picking = LateModule("byteloom.iceberg.commits.cherry_picking")
    evolving = LateModule("byteloom.iceberg.commits.evolving")
    folder_catalog = LateModule("byteloom.iceberg.commits.folder_catalog")
    references = LateModule("byteloom.iceberg.commits.references")
    replacing = LateModule("byteloom.iceberg.commits.replacing")
    transactions = LateModule("byteloom.iceberg.commits.transactions")
    creating = LateModule("byteloom.iceberg.creating")
    metadata_tables = LateModule("byteloom.iceberg.metadata_tables")
    verbs = LateModule("byteloom.iceberg.row_changes.verbs")
    scan = LateModule("byteloom.iceberg.scan")
    verification = LateModule("byteloom.iceberg.verification")

__all__ = ["Table", "create_table", "open_table"]


class Table(StoredTable):
    """An Iceberg table as of one metadata file: its scans, its metadata tables, and its check.

    Attributes:
        metadata: The content of the file.
        metadata_location: Its path, as given.
        relocation: Where the files are now, if the table was moved.
        limits: What reading may cost.

    Example:
        >>> from byteloom.iceberg import open_table
        >>> orders = open_table("byteloom-samples/orders")
        >>> [each.name for each in orders.schema.fields]
        ['id', 'country', 'cents', 'placed_at']
        >>> [(each.snapshot_id, each.summary["operation"]) for each in orders.snapshots]
        [(1, 'append'), (2, 'delete')]
    """

    def scan(  # noqa: PLR0913  each is one thing a scan can be asked
        self,
        filter: Expression | str = TRUE,  # noqa: A002  the field's own word
        *,
        columns: Sequence[str] | None = None,
        snapshot: int | None = None,
        as_of: Moment | None = None,
        ref: str | None = None,
        case_sensitive: bool = True,
        ignore_residuals: bool = False,
        limit: int | None = None,
        **others: Never,
    ) -> TableScan:
        """Return a scan of the current snapshot, or of another.

        Args:
            filter: An expression on column names, or its text: ``"id in (1, 2)"``.
            columns: Names of the columns that are wanted; all if None.
            snapshot: The id of a snapshot, read with the schema that was current when it was made.
            as_of: A `datetime`, ISO 8601 (both UTC by default) or milliseconds from 1970: the
                snapshot that was current then, read likewise.
            ref: A branch, read with the current schema, or a tag, read with its snapshot's schema.
            case_sensitive: Whether names must match in case.
            ignore_residuals: Plan as if the files that are left had only matching rows.
            limit: The greatest number of rows to return.
            **others: None; for an argument of another library the error names the one of here.

        Returns:
            The scan, whose rows come as batches or as a table; nothing is read before.

        Raises:
            FormatError: No such snapshot, branch or tag; an invalid filter, name or limit.

        Example:
            >>> from byteloom.iceberg import open_table
            >>> orders = open_table("byteloom-samples/orders")
            >>> found = orders.scan("country = 'NO'", columns=["id", "cents"], limit=2)
            >>> found.to_table().to_pydict()
            {'id': [5, 12], 'cents': [39596, 45029]}
            >>> orders.scan().count(), orders.scan(snapshot=1).count()
            (990, 1000)
        """
        if others:
            raise _unknown(next(iter(others)))
        metadata = self.metadata
        chosen = self.snapshot_for(snapshot=snapshot, as_of=as_of, ref=ref)
        is_branch = ref is not None and metadata.refs[ref].type == "branch"
        is_current = snapshot is None and as_of is None and ref is None
        return scan.TableScan(
            self,
            chosen,
            metadata.schema() if is_branch or is_current else metadata.schema_of(chosen),
            as_expression(filter),
            None if columns is None else scan.checked_names(columns),
            case_sensitive,
            ignore_residuals,
            limit,
        )

    def incremental_append(
        self,
        from_: int | None = None,
        to: int | None = None,
        filter: Expression | str = TRUE,  # noqa: A002
    ) -> AppendScan:
        """Return a scan of the files that appends have added; other operations are ignored.

        Args:
            from_: The snapshot after which to begin; None for all ancestors of *to*.
            to: The last snapshot; the current one if None.
            filter: An expression on column names of the current schema.

        Returns:
            The scan.

        Raises:
            FormatError: No such snapshot, or *from_* is no ancestor of *to*.

        Example:
            >>> from byteloom.iceberg import open_table
            >>> orders = open_table("byteloom-samples/orders")
            >>> orders.incremental_append().count(), orders.incremental_append(from_=1).count()
            (1000, 0)
        """
        return scan.AppendScan(
            self, self.metadata.snapshot(to), self.schema, as_expression(filter), after=from_
        )

    def changelog(
        self,
        from_: int | None = None,
        to: int | None = None,
        filter: Expression | str = TRUE,  # noqa: A002
    ) -> ChangelogScan:
        """Return a scan of the rows that were inserted and deleted.

        Tasks say what changed (`FileTask.change`), rows in the columns ``_change_type``,
        ``_change_ordinal`` and ``_commit_snapshot_id``.  Snapshots that only replace files by
        others with the same rows are left out.

        Args:
            from_: The snapshot after which to begin; None for all ancestors of *to*.
            to: The last snapshot; the current one if None.
            filter: An expression on column names of the current schema.

        Returns:
            The scan.

        Raises:
            FormatError: No such snapshot, or *from_* is no ancestor of *to*.

        Example:
            >>> from byteloom.iceberg import open_table
            >>> orders = open_table("byteloom-samples/orders")
            >>> changes = orders.changelog(from_=1).select("id", "_change_type")
            >>> changes.to_table().slice(length=2).to_pydict()
            {'id': [500, 550], '_change_type': ['DELETE', 'DELETE']}
        """
        return scan.ChangelogScan(
            self, self.metadata.snapshot(to), self.schema, as_expression(filter), after=from_
        )

    def metadata_table(
        self,
        kind: str,
        *,
        snapshot: int | None = None,
        as_of: Moment | None = None,
        ref: str | None = None,
    ) -> pa.Table:
        """Return a metadata table: ``snapshots``, ``files``, ``partitions``, ...

        Args:
            kind: One of `byteloom.iceberg.metadata_tables.KINDS`.
            snapshot: As for `scan`, for tables of one snapshot.
            as_of: Likewise.
            ref: Likewise.

        Returns:
            The metadata table, with the columns that it has in Java.

        Raises:
            FormatError: No such metadata table, snapshot or name, or damaged manifests.

        Example:
            >>> from byteloom.iceberg import open_table
            >>> orders = open_table("byteloom-samples/orders")
            >>> found = orders.metadata_table("files", snapshot=1)
            >>> found.select(["file_format", "record_count"]).to_pydict()
            {'file_format': ['PARQUET', 'PARQUET'], 'record_count': [500, 500]}
        """
        with self.relocation.naming():
            return metadata_tables.metadata_table(
                self, kind, snapshot=snapshot, as_of=as_of, ref=ref
            )

    def metadata_batches(self, kind: str, **when: Any) -> pa.RecordBatchReader:
        """Return a metadata table in batches; ``position_deletes`` are read batch by batch.

        Args:
            kind: As for `metadata_table`.
            **when: *snapshot*, *as_of* or *ref*, as for `metadata_table`.

        Returns:
            The batches.

        Raises:
            FormatError: As for `metadata_table`, some when the batch with the error is due.
        """
        return metadata_tables.metadata_batches(self, kind, **when)

    def append(
        self,
        rows: Any,
        *,
        branch: str = MAIN,
        stage: bool | str = False,
        wap_id: str | None = None,
        file_format: str | None = None,
    ) -> Self:
        """Add rows, and return the table with them.

        Rows are written to new data files, partitioned and sorted as the table asks for. Another
        writer's commit in between does not write them again.

        Args:
            rows: Arrow data: a table, batches, a stream, or anything that exports one. Columns are
                found by name; one that is missing has the table's default, or null.
            branch: The branch that gets the snapshot; a new one begins at the current snapshot.
            stage: True for a snapshot that no branch gets, to be read by its id and picked by
                `cherry_pick`; or a name under which it is staged, its ``wap.id``.
            wap_id: Such a name, if the table is to decide: the snapshot is staged under it if
                ``write.wap.enabled`` is true, and otherwise *branch* gets it as usual.
            file_format: The format of the files, parquet, orc or avro; as ``write.format.default``
                says if None.

        Returns:
            The table after the commit; this one stays as it is.

        Raises:
            FormatError: Rows that do not fit the schema: the error names the column and the row.
            CommitConflict: Other writers were first in all attempts that ``commit.retry.*`` allow.
            StorageError: A file cannot be written.
            Unsupported: A catalog, a type or a format that is not written.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> trips = create_table("trips", pa.schema({"id": pa.int64(), "city": pa.string()}))
            >>> trips = trips.append(pa.table({"id": [1, 2], "city": ["Oslo", "Rome"]}))
            >>> trips.scan("id > 1").to_table()["city"].to_pylist()
            ['Rome']

        Source: Iceberg table spec, "Snapshots"; Java's ``AppendFiles``.
        """
        return appending.append_rows(
            self, rows, branch=branch, stage=stage, wap_id=wap_id, file_format=file_format
        )

    def add_files(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        branch: str = MAIN,
        check_duplicate_files: bool = True,
    ) -> Self:
        """Add files that exist already, as they are, and return the table with them.

        Metrics come from the footers; no row is read. Columns of files without ids are found by
        their names, which become the table's name mapping if it has none. A partition value follows
        from the bounds of its column, or from a folder ``name=value`` of the path.

        Args:
            paths: Files of Parquet, ORC or Avro, anywhere; they belong to the table from then on.
            branch: The branch that gets the snapshot; a new one begins at the current snapshot.
            check_duplicate_files: Whether files that the branch has already are looked for, and
                refused. That reads its manifests; a table that has a file twice cannot be read.

        Returns:
            The table after the commit; this one stays as it is.

        Raises:
            FormatError: A file that does not fit the table, or that has rows of several partitions:
                the error names the file and the column.
            ArgumentError: A file that the branch has already.
            CommitConflict: Other writers were first in all attempts that ``commit.retry.*`` allow.
            StorageError: A file cannot be read or written.
            Unsupported: A table that is not written.

        Example:
            >>> import pyarrow as pa
            >>> import pyarrow.parquet as pq
            >>> from byteloom.iceberg import create_table
            >>> pq.write_table(pa.table({"id": [1, 2]}), "old.parquet")
            >>> numbers = create_table("numbers", pa.schema({"id": pa.int64()}))
            >>> numbers.add_files(["old.parquet"]).scan().to_table()["id"].to_pylist()
            [1, 2]

        Source: Iceberg table spec, "Column Projection"; Java's ``AppendFiles``.
        """
        return adding_files.add_files(
            self, paths, branch=branch, check_duplicate_files=check_duplicate_files
        )

    def evolve(
        self, *, allow_incompatible: bool = False, case_sensitive: bool = True
    ) -> Evolution[Self]:
        """Return an evolution: changes of the schema, partition spec, sort order and version.

        Args:
            allow_incompatible: Whether to allow what rows that exist may break: a new required
                column without a default, and a column that becomes required.
            case_sensitive: Whether names must match in case.

        Returns:
            The evolution, whose `commit` makes all changes at once; nothing is changed before.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> tips = create_table("tips", pa.schema({"id": pa.int64(), "fare": pa.float64()}))
            >>> tips = tips.append(pa.table({"id": [1], "fare": [9.5]}))
            >>> change = tips.evolve().add_column("tip", "double").rename_column("fare", "price")
            >>> tips = change.commit()
            >>> tips.scan().to_table().to_pylist()
            [{'id': 1, 'price': 9.5, 'tip': None}]

        Source: Iceberg table spec, "Schema Evolution", "Partition Evolution" and "Sorting".
        """
        return evolving.Evolution(
            self, allow_incompatible=allow_incompatible, case_sensitive=case_sensitive
        )

    def delete(self, filter: Expression | str, *, branch: str = MAIN) -> Self:  # noqa: A002
        """Delete the rows that match a filter, and return the table without them.

        They are the rows that `scan` returns with the same filter. Files in which all rows match
        are removed and not read. Other files are written again without the rows, or, with
        ``write.delete.mode`` ``merge-on-read``, delete files name the rows.

        Args:
            filter: An expression on column names, or its text; ``"true"`` for all rows.
            branch: The branch that gets the snapshot; a new one begins at the current snapshot.

        Returns:
            The table after the commit; the table as it is if no row matches.

        Raises:
            FormatError: An invalid filter, or a damaged file.
            CommitConflict: Other writers were first in all attempts, or have changed the same rows.
            StorageError: A file cannot be read or written.
            Unsupported: A catalog, a type or a format that is not written.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> calls = create_table("calls", pa.schema({"id": pa.int64(), "who": pa.string()}))
            >>> calls = calls.append(pa.table({"id": [1, 2, 3], "who": ["Ann", "Bo", "Ann"]}))
            >>> calls.delete("who = 'Ann'").scan().to_table()["id"].to_pylist()
            [2]

        Source: Iceberg table spec, "Row-level Deletes"; Java's ``OverwriteFiles``, ``RowDelta``.
        """
        return verbs.delete_rows(self, filter, branch=branch)

    def update(
        self,
        values: Mapping[str, Any],
        filter: Expression | str,  # noqa: A002
        *,
        branch: str = MAIN,
    ) -> Self:
        """Set columns of the rows that match a filter, and return the table with them.

        In version 3 the rows keep their ids. ``write.update.mode`` says whether files are written
        again, or delete files name the old rows.

        Args:
            values: By the name of a column, its new value, or an expression of `pyarrow.compute` on
                the old values: ``{"cents": pc.field("cents") + 1}``.
            filter: An expression on column names, or its text; ``"true"`` for all rows.
            branch: The branch that gets the snapshot; a new one begins at the current snapshot.

        Returns:
            The table after the commit; the table as it is if no row matches.

        Raises:
            FormatError: An invalid filter, a value that its column cannot have, or a damaged file.
            CommitConflict: Other writers were first in all attempts, or have changed the same rows.
            StorageError: A file cannot be read or written.
            Unsupported: A catalog, a type or a format that is not written.

        Example:
            >>> import pyarrow as pa, pyarrow.compute as pc
            >>> from byteloom.iceberg import create_table
            >>> stock = create_table("stock", pa.schema({"id": pa.int64(), "left": pa.int32()}))
            >>> stock = stock.append(pa.table({"id": [1, 2], "left": pa.array([5, 8], "int32")}))
            >>> stock = stock.update({"left": pc.field("left") - 1}, "id = 2")
            >>> stock.scan().to_table()["left"].to_pylist()
            [5, 7]

        Source: Iceberg table spec, "Row Lineage"; SQL, UPDATE.
        """
        return verbs.update_rows(self, values, filter, branch=branch)

    def upsert(
        self,
        rows: Any,
        on: str | Sequence[str] | None = None,
        *,
        when_matched: str = "update",
        when_not_matched: str = "insert",
        branch: str = MAIN,
    ) -> Self:
        """Merge rows by their keys in one snapshot, and return the table with them.

        Rows of the table with the key of a given row get its values; columns that the given rows
        lack stay as they are. Given rows whose key no row has are added. Keys are compared as SQL
        does: null equals nothing. ``write.merge.mode`` says whether files are written again, or
        delete files name the old rows.

        Args:
            rows: Arrow data, which is held in memory; no key twice.
            on: The columns of the key; the table's identifier fields if None.
            when_matched: What becomes of rows with such a key: ``update``, ``delete`` or
                ``ignore``.
            when_not_matched: What becomes of given rows whose key no row has: ``insert`` or
                ``ignore``.
            branch: The branch that gets the snapshot; a new one begins at the current snapshot.

        Returns:
            The table after the commit; the table as it is if nothing changes.

        Raises:
            FormatError: A key in two rows, rows that do not fit the schema, or a damaged file.
            CommitConflict: Other writers were first in all attempts, or have changed the same rows.
            StorageError: A file cannot be read or written.
            Unsupported: A catalog, a type or a format that is not written.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> users = create_table("users", pa.schema({"id": pa.int64(), "name": pa.string()}))
            >>> users = users.append(pa.table({"id": [1, 2], "name": ["Ann", "Bo"]}))
            >>> users = users.upsert(pa.table({"id": [2, 3], "name": ["Bob", "Cy"]}), on="id")
            >>> sorted(users.scan().to_table()["name"].to_pylist())
            ['Ann', 'Bob', 'Cy']

        Source: SQL, MERGE; Iceberg table spec, "Row-level Deletes".
        """
        return verbs.upsert_rows(
            self,
            rows,
            on,
            when_matched=when_matched,
            when_not_matched=when_not_matched,
            branch=branch,
        )

    def delete_keys(
        self, keys: Any, on: str | Sequence[str] | None = None, *, branch: str = MAIN
    ) -> Self:
        """Delete the rows that have some keys without reading any, and return the table.

        Equality delete files hold the keys, which readers compare with the rows: writing costs
        little, reading more, until the files are compacted. Null equals null here. If rows are
        partitioned by a column that is not in the key, the table gets an unpartitioned spec beside
        its own, for these files alone.

        Args:
            keys: Arrow data with the columns of the key.
            on: The columns of the key; all of *keys* if None.
            branch: The branch that gets the snapshot; a new one begins at the current snapshot.

        Returns:
            The table after the commit; the table as it is if there is no key.

        Raises:
            FormatError: Keys that do not fit the schema.
            CommitConflict: Other writers were first in all attempts.
            StorageError: A file cannot be written.
            Unsupported: A table of version 1.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> seats = create_table("seats", pa.schema({"id": pa.int64(), "row": pa.string()}))
            >>> seats = seats.append(pa.table({"id": [1, 2], "row": ["a", "b"]}))
            >>> seats.delete_keys(pa.table({"id": [1]})).scan().to_table()["row"].to_pylist()
            ['b']

        Source: Iceberg table spec, "Equality Delete Files".
        """
        return verbs.delete_keys(self, keys, on, branch=branch)

    def overwrite(
        self,
        rows: Any,
        filter: Expression | str = TRUE,  # noqa: A002
        *,
        branch: str = MAIN,
    ) -> Self:
        """Put rows in place of those that match a filter in one snapshot, and return the table.

        Args:
            rows: Arrow data, as for `append`.
            filter: An expression on column names, or its text; all rows by default.
            branch: The branch that gets the snapshot; a new one begins at the current snapshot.

        Returns:
            The table after the commit; the table as it is if nothing changes.

        Raises:
            FormatError: An invalid filter, rows that do not fit the schema, or a damaged file.
            CommitConflict: Other writers were first in all attempts, or have changed the same rows.
            StorageError: A file cannot be read or written.
            Unsupported: A catalog, a type or a format that is not written.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> rates = create_table("rates", pa.schema({"day": pa.int64(), "rate": pa.float64()}))
            >>> rates = rates.append(pa.table({"day": [1, 2, 2], "rate": [0.5, 0.6, 0.7]}))
            >>> rates = rates.overwrite(pa.table({"day": [2], "rate": [0.8]}), "day = 2")
            >>> rates.scan().to_table().to_pydict(), len(rates.snapshots)
            ({'day': [1, 2], 'rate': [0.5, 0.8]}, 2)

        Source: Iceberg table spec, "Snapshots" (``operation``); Java's ``OverwriteFiles``.
        """
        return verbs.overwrite_rows(self, rows, filter, branch=branch)

    def overwrite_partitions(
        self,
        rows: Any,
        *,
        branch: str = MAIN,
        stage: bool | str = False,
        wap_id: str | None = None,
    ) -> Self:
        """Put rows in the place of the partitions that they are in, and return the table.

        All other rows of these partitions go; other partitions stay. In a table without partitions
        all rows go. Other writers may not change these partitions before the commit, unless
        ``write.delete.isolation-level`` is snapshot: rows that they add then go too.

        Args:
            rows: Arrow data, as for `append`; without any, the table stays as it is.
            branch: The branch that gets the snapshot; a new one begins at the current snapshot.
            stage: As for `append`.
            wap_id: As for `append`.

        Returns:
            The table after the commit.

        Raises:
            FormatError: Rows that do not fit the schema.
            CommitConflict: Other writers were first in all attempts, or have changed the same
                partitions.
            StorageError: A file cannot be written.
            Unsupported: A table, a type or a format that is not written.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> columns = pa.schema({"day": pa.int64(), "n": pa.int64()})
            >>> sums = create_table("sums", columns, partition_by=["day"])
            >>> sums = sums.append(pa.table({"day": [1, 2, 2], "n": [10, 20, 21]}))
            >>> sums = sums.overwrite_partitions(pa.table({"day": [2], "n": [99]}))
            >>> sorted(sums.scan().to_table()["n"].to_pylist())
            [10, 99]

        Source: Java's ``ReplacePartitions``.
        """
        return replacing.replace_partitions(self, rows, branch=branch, stage=stage, wap_id=wap_id)

    def transaction(self, *, branch: str = MAIN) -> Transaction[Self]:
        """Return a transaction: several changes of a branch that are committed as one.

        Each change of rows makes its snapshot; readers see all of them or none. The transaction's
        ``table`` and ``scan`` show what it has changed so far.

        Args:
            branch: The branch; a new one begins at the current snapshot.

        Returns:
            The transaction, for ``with``; its ``table`` is the table after the commit.

        Raises:
            CommitConflict: Other writers were first in all attempts, or one forbids a change.
            Unsupported: A table that is not written.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> stock = create_table("stock", pa.schema({"id": pa.int64()}))
            >>> with stock.transaction() as change:
            ...     change.append(pa.table({"id": [1, 2, 3]}))
            ...     change.delete("id = 2")
            ...     change.set_properties({"owner": "ops"})
            >>> change.table.scan().to_table()["id"].to_pylist(), len(change.table.snapshots)
            ([1, 3], 2)

        Source: Iceberg table spec, "Optimistic Concurrency"; Java's ``Transaction``.
        """
        return transactions.Transaction(self, branch)

    def set_properties(self, properties: Mapping[str, str]) -> Self:
        """Set properties beside the others, and return the table with them.

        Args:
            properties: Keys and texts, such as ``write.parquet.compression-codec``.

        Returns:
            The table after the commit.

        Raises:
            ArgumentError: A reserved key, or a value that is no text.
            CommitConflict: Other writers were first in all attempts.
        """
        return references.change_properties(self, properties, ())

    def remove_properties(self, *names: str) -> Self:
        """Remove properties, and return the table without them; those it lacks are ignored.

        Args:
            *names: Their keys.

        Returns:
            The table after the commit.

        Raises:
            CommitConflict: Other writers were first in all attempts.
        """
        return references.change_properties(self, {}, names)

    def create_branch(
        self,
        name: str,
        *,
        snapshot: int | None = None,
        max_age: str | int | None = None,
        max_snapshot_age: str | int | None = None,
        min_snapshots: int | None = None,
    ) -> Self:
        """Create a branch, and return the table with it.

        Args:
            name: Its name, which must be new.
            snapshot: The snapshot that it begins at; the current one if None.
            max_age: How long the branch is kept: ``"90d"``, or milliseconds; for ever if None.
            max_snapshot_age: How long its snapshots are kept; as the table says if None.
            min_snapshots: How many of them are kept at least; as the table says if None.

        Returns:
            The table after the commit.

        Raises:
            ArgumentError: A name that exists, a snapshot that does not, or an age that is no time.
            CommitConflict: Other writers were first in all attempts.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> runs = create_table("runs", pa.schema({"id": pa.int64()}))
            >>> runs = runs.append(pa.table({"id": [1]})).create_branch("audit").create_tag("eod")
            >>> runs = runs.append(pa.table({"id": [2]}), branch="audit")
            >>> runs.scan().count(), runs.fast_forward("main", to="audit").scan().count()
            (1, 2)

        Source: Iceberg table spec, "Snapshot References".
        """
        return references.create_ref(
            self,
            name,
            "branch",
            snapshot=snapshot,
            max_age=max_age,
            max_snapshot_age=max_snapshot_age,
            min_snapshots=min_snapshots,
        )

    def create_tag(
        self, name: str, *, snapshot: int | None = None, max_age: str | int | None = None
    ) -> Self:
        """Create a tag, and return the table with it.

        Args:
            name: Its name, which must be new.
            snapshot: The snapshot that it names; the current one if None.
            max_age: How long it is kept: ``"90d"``, or milliseconds; for ever if None.

        Returns:
            The table after the commit.

        Raises:
            ArgumentError: A name that exists, a snapshot that does not, or an age that is no time.
            CommitConflict: Other writers were first in all attempts.
        """
        return references.create_ref(self, name, "tag", snapshot=snapshot, max_age=max_age)

    def drop_ref(self, name: str) -> Self:
        """Drop a branch or a tag, and return the table without it; its snapshots stay.

        Args:
            name: Its name.

        Returns:
            The table after the commit.

        Raises:
            ArgumentError: The branch main, or a name that the table lacks.
            CommitConflict: Other writers were first in all attempts.
        """
        return references.drop_ref(self, name)

    def fast_forward(self, branch: str, *, to: str) -> Self:
        """Move a branch forward to where another branch or tag is, and return the table.

        Args:
            branch: The branch; it is created if the table lacks it.
            to: A branch or tag whose snapshot came after that of *branch*.

        Returns:
            The table after the commit.

        Raises:
            ArgumentError: Names that the table lacks, or snapshots that do not follow one another.
            CommitConflict: Other writers were first in all attempts.
        """
        return references.fast_forward(self, branch, to)

    def cherry_pick(self, snapshot: int, *, branch: str = MAIN) -> Self:
        """Give a branch what a snapshot of another branch added, and return the table.

        Args:
            snapshot: The id of the snapshot. If it follows the head of *branch*, the branch moves
                to it; if not, it must be an append, whose files a new snapshot adds, or one that
                replaced partitions, which have no new rows since.
            branch: The branch.

        Returns:
            The table after the commit.

        Raises:
            ArgumentError: No such snapshot, or one that the branch has already.
            Unsupported: A snapshot that does not follow the branch's head, and is no append, nor
                replaced partitions of a snapshot that the branch has.
            CommitConflict: Other writers were first in all attempts, or partitions that the
                snapshot replaced have new rows.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> jobs = create_table("jobs", pa.schema({"id": pa.int64()}))
            >>> jobs = jobs.append(pa.table({"id": [1]})).create_branch("audit")
            >>> jobs = jobs.append(pa.table({"id": [2]}), branch="audit")
            >>> jobs = jobs.append(pa.table({"id": [3]}))
            >>> jobs = jobs.cherry_pick(jobs.metadata.refs["audit"].snapshot_id)
            >>> sorted(jobs.scan().to_table()["id"].to_pylist())
            [1, 2, 3]

        Source: Iceberg table spec, "Snapshots"; Java's ``CherryPickOperation``.
        """
        return cherry_picking.cherry_pick(self, snapshot, branch=branch)

    def rollback(
        self, *, to: int | None = None, as_of: Moment | None = None, branch: str = MAIN
    ) -> Self:
        """Move a branch back to an earlier snapshot of its own, and return the table.

        Args:
            to: The id of the snapshot.
            as_of: Or a moment, as for `scan`: the last snapshot of the branch until then.
            branch: The branch.

        Returns:
            The table after the commit. Later snapshots stay in its metadata: a tag of one of them,
            and `fast_forward` to it, undo the rollback.

        Raises:
            ArgumentError: A snapshot that is not among the branch's own, or no such moment.
            CommitConflict: Other writers were first in all attempts.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom.iceberg import create_table
            >>> logs = create_table("logs", pa.schema({"id": pa.int64()}))
            >>> logs = logs.append(pa.table({"id": [1]})).append(pa.table({"id": [2]}))
            >>> first, second = [each.snapshot_id for each in logs.snapshots]
            >>> logs = logs.rollback(to=first)
            >>> logs.scan().count(), logs.scan(snapshot=second).count()
            (1, 2)
        """
        return references.rollback(self, branch, to=to, as_of=as_of)

    def verify(
        self, *, files: bool = True, rows: bool = True, part: tuple[int, int] = (0, 1)
    ) -> list[ByteloomError]:
        """Return everything that is wrong with the table; an empty list if it is sound.

        If the table was moved or copied, the files checked are those at the old place, which its
        metadata names, and a `MovedTable` reports this: open the table with *relocate* to check
        the files at the new place.  If that place is in a store and the table is not, they are
        checked only with *allow*.

        Args:
            files: Also check data files, delete files and statistics, not only metadata.
            rows: Also read every row of data files and delete files; otherwise only size, row count
                and nulls in required columns of each file, and statistics as its footer has them.
            part: Number of a part of the files, from 0, and of how many parts: each file is in one
                part, and all other checks are in the first.

        Returns:
            The findings, each an error with its place, which was not raised.

        Example:
            >>> from byteloom.iceberg import open_table
            >>> open_table("byteloom-samples/orders").verify()
            []
        """
        return verification.verify(self, files=files, rows=rows, part=part)


def _unknown(name: str) -> TypeError:
    """Return the error for an unknown argument; it names the equivalent of one of pyiceberg's."""
    ours = {"snapshot_id": "snapshot", "row_filter": "filter", "selected_fields": "columns"}
    hint = f"; it is called {ours[name]}" if name in ours else ""
    return TypeError(f"scan() has no argument {name}{hint}")


def open_table(  # noqa: PLR0913  settings by name, each with its default
    place: str | os.PathLike[str] | HasMetadataLocation,
    *,
    relocate: Mapping[str, str | os.PathLike[str]] | None = None,
    catalog: Any = None,
    limits: Limits = DEFAULT_LIMITS,
    filesystem: Any = None,
    storage_options: Mapping[str, str] | None = None,
    allow: Iterable[str | os.PathLike[str]] | None = None,
) -> Table:
    """Return the table at *place* in its current state; later commits are not seen.

    Args:
        place: A metadata file, or a table's folder (the newest metadata in it): path or URL;
            ``catalog:NAME#namespace.table``, in a catalog of pyiceberg's configuration;
            ``sqlite:///cat.db#namespace.table``; an object with ``metadata_location``.
        relocate: Prefixes of paths as written in metadata, with what replaces each.
        catalog: As `catalog_of` takes it, and *place* is then the name of a table in it; a table
            that pyiceberg has loaded has its catalog with it.
        limits: What reading metadata and manifests may cost.
        filesystem: Of `pyarrow.fs` or fsspec, in which all files are, whatever URLs the metadata
            has.
        storage_options: Properties of filesystems (``s3.access-key-id``), over those of a catalog.
        allow: Prefixes below which all files named by metadata must be; *place* itself is the
            caller's, and always read; without it, a local copy of a table in a store does not lead
            to that store.

    Returns:
        The table; its manifests and data files are read when a scan needs them.

    Raises:
        FormatError: A file at that place that is not table metadata.
        StorageError: Nothing is there; later, a file to read that is not allowed.

    Example:
        >>> from byteloom.iceberg import open_table
        >>> open_table("byteloom-samples/orders").scan("id < 3").to_table()["country"].to_pylist()
        ['CA', 'DE', 'FR']

    Source: Iceberg table spec, "Table Metadata", "File System Tables".
    """
    place, kept, name = catalogs.kept_by(place, catalog)
    moved = {old: os.fspath(new) for old, new in (relocate or {}).items()}
    allowed = None if allow is None else Allowed(allow)
    named, handed_out = metadata_place(place)
    access = Access(filesystem, {**handed_out, **(storage_options or {})})
    relocation = Relocation(moved, limits=limits, access=access)
    location = find_metadata(named, relocation)
    metadata = read_metadata(location, relocation, limits)
    folder, _, below = location.rpartition("/metadata/")
    if folder and "/" not in below:
        lists = (each.manifest_list for each in metadata.snapshots.values())
        relocation = relocation.found_at(metadata.location, folder, filter(None, lists))
    relocation = replace(relocation, access=replace(access, allowed=allowed))
    return Table(metadata, location, relocation, limits, catalog=kept, name=name)


def create_table(  # noqa: PLR0913  settings by name, each with its default
    place: str | os.PathLike[str],
    schema: Schema | pa.Schema,
    *,
    partition_by: Iterable[str] = (),
    sort_by: Iterable[str] = (),
    format_version: int = 2,
    properties: Mapping[str, str] | None = None,
    catalog: Any = None,
    location: str | os.PathLike[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    filesystem: Any = None,
    storage_options: Mapping[str, str] | None = None,
) -> Table:
    """Create an empty table in a folder or in a catalog, and return it.

    Args:
        place: The table's folder: path or URL; a local path is made absolute. With a catalog, the
            table's name in it, such as ``shop.orders``; or ``catalog:NAME#shop.orders``.
        schema: The columns, as Arrow's schema or Iceberg's.
        partition_by: Partition fields: ``"day(ts)"``, ``"bucket(16, id)"``, ``"country"``.
        sort_by: Sort keys: ``"ts desc nulls last"``, ``"bucket(16, id)"``.
        format_version: 1, 2 or 3.
        properties: The table's properties, such as ``write.parquet.compression-codec``.
        catalog: As `catalog_of` takes it; None for a table whose place says where it is.
        location: The folder of a table in a catalog; where the catalog wants it if None.
        limits: What reading the table may cost.
        filesystem: Of fsspec (s3fs, gcsfs, adlfs, obstore) or `pyarrow.fs`, in which *place* is a
            path.
        storage_options: Properties of filesystems (``s3.access-key-id``).

    Returns:
        The table, without a snapshot.

    Raises:
        AlreadyExists: There is a table.
        ArgumentError: A version, a partition field, a sort key or a property that does not exist.
        FormatError: A column that the schema lacks, or a type that the version lacks.
        Unsupported: A type that Iceberg does not have, or a place where a file cannot be created
            only if there is none.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom.iceberg import create_table
        >>> columns = pa.schema({"id": pa.int64(), "at": pa.timestamp("us", "UTC")})
        >>> rides = create_table("rides", columns, partition_by=["day(at)"], sort_by=["id desc"])
        >>> rides.schema.find("at").type.kind, rides.metadata.spec().fields[0].name
        ('timestamptz', 'at_day')

    Source: Iceberg table spec, "Table Metadata" and "File System Tables".
    """
    named = _named(place)
    kept, name = catalogs.home_of(named, catalog)
    folder = "" if location is None else os.fspath(location).rstrip("/")
    is_folder = isinstance(kept, folder_catalog.FolderCatalog)
    if is_folder:
        if folder:
            raise ArgumentError("location", None, folder, "a catalog: a table is in its folder")
        folder = name
    is_url = "://" in folder or LOCAL_URL.match(folder)
    if folder and not is_url and filesystem is None:
        folder = str(Path(folder).absolute())
    metadata = creating.new_metadata(
        folder,
        schema,
        partition_by=partition_by,
        sort_by=sort_by,
        format_version=format_version,
        properties={} if properties is None else properties,
    )
    relocation = Relocation(limits=limits, access=Access(filesystem, dict(storage_options or {})))
    written = kept.create(folder if is_folder else name, metadata, relocation, limits)
    if is_folder:
        return Table(metadata, written, relocation, limits, catalog=kept)
    return open_table(
        name, catalog=kept, limits=limits, filesystem=filesystem, storage_options=storage_options
    )


def _named(place: Any) -> str:
    """Return the path or the URL of a folder; refuse what is none."""
    named = os.fspath(place).rstrip("/") if isinstance(place, str | os.PathLike) else ""
    if not named:
        raise ArgumentError("place", None, repr(place), "the path or the URL of a folder")
    return named
