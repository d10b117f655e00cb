# Written by byteloom-codegen from specs/iceberg/commit_checks.yaml; do not edit.
# To change it, edit that file and generate again.
"""A change is worked out on a snapshot of its branch. When it is committed, the
branch may have further snapshots of other writers: those from its head back to
the one that the change knew. What these snapshots themselves added and deleted
is compared with the change. What forbids it is final: the change has to be
worked out again. In all other cases the commit is made, on top of theirs.

Source: https://iceberg.apache.org/spec/#optimistic-concurrency
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "CHANGE_RULES",
    "COMMIT_CHECKS",
    "CONFLICTS",
    "ChangeRule",
    "CommitCheck",
    "Conflict",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitCheck:
    """One comparison of a change with a snapshot of another writer."""

    name: str
    """Its name."""

    operations: tuple[str, ...]
    """The operations of the snapshots that are looked at."""

    content: str
    """The files that are looked at."""

    status: str
    """What the snapshot did with them."""

    subject: str
    """What of the change they are compared with: what it is about, data files that it
    writes again, data files of which it deletes rows by delete files, or its wish
    to remove files as a whole.
    """

    found: str
    """How the error goes on after the snapshot."""

    doc: str
    """Which of them forbid the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRule:
    """A kind of change, and its checks."""

    name: str
    """What it is called here."""

    scope: str
    """What it is about: rows of a filter, whole partitions, or nothing that others
    could change.
    """

    serializable: tuple[str, ...]
    """Its checks under the isolation level `serializable`."""

    snapshot: tuple[str, ...]
    """Its checks under the isolation level `snapshot`."""

    doc: str
    """The changes of this kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A change, and the changes that forbid it if another writer made them first, to
    the same rows.
    """

    name: str
    """The change that comes second."""

    always: tuple[str, ...]
    """What forbids it under both isolation levels."""

    if_serializable: tuple[str, ...]
    """What forbids it under `serializable` alone."""

    by_vectors: tuple[str, ...]
    """What forbids it under both levels in version 3 alone, where a data file has one
    deletion vector.
    """

    doc: str
    """Why the others do not."""


COMMIT_CHECKS: Final = (
    CommitCheck(
        name="added data",
        operations=("append", "overwrite"),
        content="data",
        status="added",
        subject="scope",
        found="adds rows that may match {scope}",
        doc="One that may have rows in the scope, by its partition and its statistics.",
    ),
    CommitCheck(
        name="any added data",
        operations=("append", "overwrite", "replace", "delete"),
        content="data",
        status="added",
        subject="scope",
        found="adds rows that may match {scope}",
        doc="The same, whatever added it.",
    ),
    CommitCheck(
        name="partly matching data",
        operations=("append", "overwrite", "replace", "delete"),
        content="data",
        status="added",
        subject="whole",
        found="adds rows of which only some match {scope}",
        doc="One of which only some rows may match the filter. Files in which all rows match are removed too.",
    ),
    CommitCheck(
        name="new deletes",
        operations=("overwrite", "delete"),
        content="deletes",
        status="added",
        subject="scope",
        found="deletes rows that may match {scope}",
        doc="One that may delete rows in the scope, by its partition and its statistics; if it names its data file, only one of a file in which the change found rows.",
    ),
    CommitCheck(
        name="deleted data",
        operations=("overwrite", "replace", "delete"),
        content="data",
        status="deleted",
        subject="scope",
        found="removes rows that may match {scope}",
        doc="One that may have had rows in the scope.",
    ),
    CommitCheck(
        name="files rewritten",
        operations=("overwrite", "replace"),
        content="data",
        status="deleted",
        subject="marked",
        found="removes it, and may have written its rows again",
        doc="One of which the change deletes rows by a delete file.",
    ),
    CommitCheck(
        name="files gone",
        operations=("overwrite", "replace", "delete"),
        content="data",
        status="deleted",
        subject="marked",
        found="removes it",
        doc="The same, whether or not its rows were written again.",
    ),
    CommitCheck(
        name="deletes of replaced files",
        operations=("overwrite", "delete"),
        content="deletes",
        status="added",
        subject="replaced",
        found="deletes from it too",
        doc="One that applies to a data file whose other rows the change writes again: in the new file they would be back.",
    ),
    CommitCheck(
        name="new vectors",
        operations=("overwrite", "delete", "replace"),
        content="vectors",
        status="added",
        subject="marked",
        found="deletes from it too",
        doc="A deletion vector of a data file for which the change has one.",
    ),
)
"""All checks. That a file which a change removes is still live is checked besides,
whatever the change: it is looked for in the manifests of the head.

Source: https://iceberg.apache.org/spec/#optimistic-concurrency "Optimistic Concurrency"
"""


CHANGE_RULES: Final = (
    ChangeRule(
        name="new rows",
        scope="nothing",
        serializable=(),
        snapshot=(),
        doc="`append`, `add_files`, and a picked append.",
    ),
    ChangeRule(
        name="deleted keys",
        scope="nothing",
        serializable=(),
        snapshot=(),
        doc="`delete_keys`: its files apply to all rows that were committed before them, whoever committed these.",
    ),
    ChangeRule(
        name="whole files",
        scope="filter",
        serializable=("partly matching data",),
        snapshot=("partly matching data",),
        doc="`delete` of files in which all rows match: nothing is written, and which files go is found anew on the head.",
    ),
    ChangeRule(
        name="rewritten files",
        scope="filter",
        serializable=("added data", "deletes of replaced files"),
        snapshot=("deletes of replaced files",),
        doc="`delete`, `update` and `upsert` with `copy-on-write`.",
    ),
    ChangeRule(
        name="overwritten files",
        scope="filter",
        serializable=(
            "added data",
            "new deletes",
            "deleted data",
            "deletes of replaced files",
        ),
        snapshot=("new deletes", "deleted data", "deletes of replaced files"),
        doc="`overwrite` with `copy-on-write`.",
    ),
    ChangeRule(
        name="marked rows",
        scope="filter",
        serializable=("added data", "files rewritten", "new vectors"),
        snapshot=("files rewritten", "new vectors"),
        doc="`delete` with `merge-on-read`.",
    ),
    ChangeRule(
        name="moved rows",
        scope="filter",
        serializable=(
            "added data",
            "new deletes",
            "files gone",
            "deletes of replaced files",
            "new vectors",
        ),
        snapshot=(
            "new deletes",
            "files gone",
            "deletes of replaced files",
            "new vectors",
        ),
        doc="`update` and `upsert` with `merge-on-read`.",
    ),
    ChangeRule(
        name="overwritten rows",
        scope="filter",
        serializable=(
            "added data",
            "new deletes",
            "deleted data",
            "files gone",
            "deletes of replaced files",
            "new vectors",
        ),
        snapshot=(
            "new deletes",
            "deleted data",
            "files gone",
            "deletes of replaced files",
            "new vectors",
        ),
        doc="`overwrite` with `merge-on-read`.",
    ),
    ChangeRule(
        name="replaced partitions",
        scope="partitions",
        serializable=("added data", "new deletes", "deleted data"),
        snapshot=("new deletes", "deleted data"),
        doc="`overwrite_partitions`; without partitions all files are in the scope.",
    ),
    ChangeRule(
        name="picked partitions",
        scope="partitions",
        serializable=("any added data",),
        snapshot=("any added data",),
        doc="`cherry_pick` of a snapshot that replaced partitions.",
    ),
)
"""The checks of each kind of change. The isolation level is the table's
`write.delete.isolation-level`, for `update` and `upsert` that of `write.update`
and `write.merge`.

Source: https://iceberg.apache.org/spec/#optimistic-concurrency "Optimistic Concurrency"
"""


CONFLICTS: Final = (
    Conflict(
        name="append",
        always=(),
        if_serializable=(),
        by_vectors=(),
        doc="New rows depend on none.",
    ),
    Conflict(
        name="add_files",
        always=("add_files",),
        if_serializable=(),
        by_vectors=(),
        doc="The same; a path that the table has already is refused.",
    ),
    Conflict(
        name="cherry_pick",
        always=(),
        if_serializable=(),
        by_vectors=(),
        doc="An append is made again.",
    ),
    Conflict(
        name="cherry_pick of partitions",
        always=(
            "append",
            "add_files",
            "cherry_pick",
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
        ),
        if_serializable=(),
        by_vectors=(),
        doc="Deletes alone leave the files that it removes.",
    ),
    Conflict(
        name="overwrite_partitions",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="Under `snapshot` rows that were added to the partitions go too.",
    ),
    Conflict(
        name="delete_keys",
        always=(),
        if_serializable=(),
        by_vectors=(),
        doc="It deletes rows with the keys, whoever added them.",
    ),
    Conflict(
        name="delete of files",
        always=(),
        if_serializable=(),
        by_vectors=(),
        doc="All files of the partition go, those that others added included.",
    ),
    Conflict(
        name="delete",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="Under `snapshot` added rows stay as they are.",
    ),
    Conflict(
        name="delete merge-on-read",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
        ),
        if_serializable=(
            "append",
            "add_files",
            "cherry_pick",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
        ),
        by_vectors=(
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        doc="Both may delete rows of one file. Of a file that is gone nothing is left to delete.",
    ),
    Conflict(
        name="update",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="Under `snapshot` added rows stay as they are.",
    ),
    Conflict(
        name="update merge-on-read",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="Under `snapshot` added rows stay as they are.",
    ),
    Conflict(
        name="upsert",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="Under `snapshot` added rows stay as they are.",
    ),
    Conflict(
        name="upsert merge-on-read",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="Under `snapshot` added rows stay as they are.",
    ),
    Conflict(
        name="overwrite",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="Under `snapshot` added rows stay as they are.",
    ),
    Conflict(
        name="overwrite merge-on-read",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="Under `snapshot` added rows stay as they are.",
    ),
    Conflict(
        name="transaction",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete_keys",
            "delete of files",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        if_serializable=("append", "add_files", "cherry_pick"),
        by_vectors=(),
        doc="As `delete`.",
    ),
    Conflict(
        name="transaction merge-on-read",
        always=(
            "cherry_pick of partitions",
            "overwrite_partitions",
            "delete",
            "update",
            "upsert",
            "overwrite",
            "transaction",
        ),
        if_serializable=(
            "append",
            "add_files",
            "cherry_pick",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
        ),
        by_vectors=(
            "delete merge-on-read",
            "update merge-on-read",
            "upsert merge-on-read",
            "overwrite merge-on-read",
            "transaction merge-on-read",
        ),
        doc="As `delete merge-on-read`.",
    ),
)
"""Pairs of changes of one partition, in which both find rows of the same file.
Changes of other partitions, and of files that the other does not touch, do not
conflict. `update`, `upsert`, `delete` and `overwrite` are those with
`copy-on-write`, unless `merge-on-read` is said. A transaction has the conflicts
of its changes: here, of an append to another partition and a `delete`.

Source: https://iceberg.apache.org/spec/#optimistic-concurrency "Optimistic Concurrency"
"""
