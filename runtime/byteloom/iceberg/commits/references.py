"""Branches, tags and properties: commits that change metadata alone.

The rules:

- A branch moves forward to a snapshot that came after it, or back to one that it had.
- A branch or tag is created once: its name must be new.

Source: Iceberg table spec, "Snapshot References"; Java's ``ManageSnapshots``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from byteloom.arguments import whole_number
from byteloom.errors import ArgumentError
from byteloom.iceberg.commits.attempts import commit_again, requirements_of
from byteloom.iceberg.metadata.document import MAIN
from byteloom.iceberg.properties import RESERVED
from byteloom.moments import millis_of, text_of
from byteloom_generated.iceberg.table_updates import (
    RemoveProperties,
    RemoveSnapshotRef,
    SetProperties,
    SetSnapshotRef,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom.moments import Moment
    from byteloom_generated.iceberg.table_metadata import Snapshot, SnapshotReference

__all__ = [
    "change_properties",
    "check_properties",
    "create_ref",
    "drop_ref",
    "fast_forward",
    "head_of",
    "moved_branch",
    "rollback",
]

_AGE: Final = re.compile(r"(\d+)\s*(ms|s|m|h|d)")
_MILLIS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def head_of(table: StoredTable, branch: str) -> Snapshot | None:
    """Return the newest snapshot of a branch; of a new branch, that which it begins at."""
    ref = table.metadata.refs.get(branch)
    return table.metadata.snapshot(None if ref is None else ref.snapshot_id)


def create_ref(  # noqa: PLR0913  what a reference has
    table: AnyTable,
    name: str,
    kind: str,
    *,
    snapshot: int | None,
    max_age: str | int | None = None,
    max_snapshot_age: str | int | None = None,
    min_snapshots: int | None = None,
) -> AnyTable:
    """Return a table with a new branch or tag.

    Args:
        table: The table.
        name: The name, which must be new.
        kind: branch or tag.
        snapshot: The snapshot that it names; the current one if None.
        max_age: How long it is kept.
        max_snapshot_age: How long snapshots of a branch are kept.
        min_snapshots: How many snapshots of a branch are kept.

    Raises:
        ArgumentError: A name that exists, a snapshot that does not, or an age that is no time.
    """
    ages: dict[str, Any] = {
        "max_ref_age_ms": _millis("max_age", max_age),
        "max_snapshot_age_ms": _millis("max_snapshot_age", max_snapshot_age),
        "min_snapshots_to_keep": None
        if min_snapshots is None
        else whole_number("min_snapshots", min_snapshots, "1 or more", least=1),
    }
    _check_name(kind, name)

    def updates(base: AnyTable, _: int) -> tuple[list[JsonRecord], list[JsonRecord]]:
        known = base.metadata.refs.get(name)
        if known is not None:
            raise ArgumentError(kind, None, f"{name!r}, which is a {known.type}", "a new name")
        chosen = base.metadata.snapshot(snapshot)
        if chosen is None:
            raise ArgumentError("snapshot", None, "a table without snapshots", "one with some")
        made = SetSnapshotRef(ref_name=name, type=kind, snapshot_id=chosen.snapshot_id, **ages)
        return requirements_of(base, name), [made]

    return commit_again(table, updates)


def drop_ref(table: AnyTable, name: str) -> AnyTable:
    """Return a table without a branch or tag.

    Raises:
        ArgumentError: The branch main, or a name that the table lacks.
    """
    if name == MAIN:
        raise ArgumentError("ref", None, repr(name), "another one: every table has this branch")

    def updates(base: AnyTable, _: int) -> tuple[list[JsonRecord], list[JsonRecord]]:
        _ref(base, name)
        return requirements_of(base, name), [RemoveSnapshotRef(ref_name=name)]

    return commit_again(table, updates)


def fast_forward(table: AnyTable, branch: str, to: str) -> AnyTable:
    """Return a table whose *branch* is where another branch or tag is, which came after it.

    Raises:
        ArgumentError: Names that the table lacks, or snapshots that do not follow one another.
    """

    def updates(base: AnyTable, _: int) -> tuple[list[JsonRecord], list[JsonRecord]]:
        target = _ref(base, to).snapshot_id
        moved = base.metadata.refs.get(branch)
        if moved is not None and moved.snapshot_id not in _chain(base, target):
            found = f"{branch!r} at snapshot {moved.snapshot_id}"
            wanted = f"an ancestor of {to!r}, snapshot {target}"
            raise ArgumentError("branch", None, found, wanted)
        return requirements_of(base, branch, to), [moved_branch(base, branch, target)]

    return commit_again(table, updates)


def rollback(
    table: AnyTable, branch: str, *, to: int | None = None, as_of: Moment | None = None
) -> AnyTable:
    """Return a table whose *branch* is at an earlier snapshot of its own, by id or by moment.

    Raises:
        ArgumentError: Neither or both of the two, or none of the branch's own snapshots.
    """
    if (to is None) == (as_of is None):
        found = "neither" if to is None else "both"
        raise ArgumentError("to, as_of", None, found, "one of the two: an id or a moment")
    moment = None if as_of is None else millis_of(as_of)

    def updates(base: AnyTable, _: int) -> tuple[list[JsonRecord], list[JsonRecord]]:
        chain = base.metadata.ancestors(_ref(base, branch).snapshot_id)
        chosen = _last_until(chain, moment) if to is None else base.metadata.snapshot(to)
        if chosen is None or chosen not in chain:
            if to is None:
                found, wanted = (
                    text_of(moment or 0),
                    f"the time of a snapshot of {branch!r}, or later",
                )
                raise ArgumentError("as_of", None, found, wanted)
            raise ArgumentError("to", None, f"snapshot {to}", f"one that {branch!r} had before")
        return requirements_of(base, branch), [moved_branch(base, branch, chosen.snapshot_id)]

    return commit_again(table, updates)


def _last_until(chain: Sequence[Snapshot], moment: int | None) -> Snapshot | None:
    """Return the newest of some snapshots, newest first, that was there at a moment."""
    return next((each for each in chain if each.timestamp_ms <= (moment or 0)), None)


def check_properties(properties: Mapping[str, str]) -> None:
    """Refuse keys that are never stored, and keys and values that are no text.

    Raises:
        ArgumentError: The first such key or value.
    """
    if not isinstance(properties, Mapping):
        raise ArgumentError("properties", None, repr(properties), "keys with their texts")
    for key, value in properties.items():
        if key in RESERVED:
            raise ArgumentError(f"properties.{key}", None, "a reserved key", "another one")
        if not isinstance(key, str):
            raise ArgumentError("properties", None, f"the key {key!r}", "text")
        if not isinstance(value, str):
            raise ArgumentError(f"properties.{key}", None, repr(value), "text")


def change_properties(
    table: AnyTable, changed: Mapping[str, str], removed: Iterable[str]
) -> AnyTable:
    """Return a table with some properties set and others removed, in one commit.

    Args:
        table: The table.
        changed: Keys and texts; other properties stay.
        removed: Keys; those that the table lacks are ignored.

    Raises:
        ArgumentError: A reserved key, a value that is no text, or a key that is in both.
    """
    check_properties(changed)
    names = list(removed)
    for each in names:
        if each in changed:
            raise ArgumentError(f"properties.{each}", None, "set and removed", "one of the two")
    updates: list[JsonRecord] = []
    if changed:
        updates.append(SetProperties(updates=dict(changed)))
    if names:
        updates.append(RemoveProperties(removals=names))
    return commit_again(table, lambda base, _: (requirements_of(base), updates))


def _ref(base: StoredTable, name: str) -> SnapshotReference:
    """Return a branch or tag."""
    found = base.metadata.refs.get(name)
    if found is None:
        known = ", ".join(base.metadata.refs) or "none at all"
        raise ArgumentError("ref", None, repr(name), f"a branch or tag of the table: {known}")
    return found


def _chain(base: StoredTable, snapshot_id: int) -> set[int]:
    """Return the ids of a snapshot and its ancestors."""
    return {each.snapshot_id for each in base.metadata.ancestors(snapshot_id)}


def _check_name(kind: str, name: str) -> None:
    """Refuse a name that no branch or tag can have."""
    if not isinstance(name, str):
        raise ArgumentError(kind, None, repr(name), "a name")
    if not name:
        raise ArgumentError(kind, None, "an empty name", "a name")


def moved_branch(base: StoredTable, branch: str, snapshot_id: int) -> SetSnapshotRef:
    """Return the update that moves or creates a branch; its other settings stay.

    Raises:
        ArgumentError: The name of a tag, or a new one that is empty.
    """
    ref = base.metadata.refs.get(branch)
    if ref is not None and ref.type != "branch":
        raise ArgumentError("branch", None, f"{branch!r}, which is a tag", "a branch")
    kept: dict[str, Any] = {}
    if ref is None:
        _check_name("branch", branch)
    else:
        names = ("max_ref_age_ms", "max_snapshot_age_ms", "min_snapshots_to_keep")
        kept = {each: getattr(ref, each) for each in names}
    return SetSnapshotRef(ref_name=branch, type="branch", snapshot_id=snapshot_id, **kept)


def _millis(name: str, age: str | int | None) -> int | None:
    """Return a time in milliseconds: a number, or a text such as 90d."""
    if age is None:
        return None
    if isinstance(age, str):
        found = _AGE.fullmatch(age.strip())
        if found is None or not int(found[1]):
            raise ArgumentError(name, None, repr(age), "a time such as 90d, 12h, 30m, 10s or 500ms")
        return int(found[1]) * _MILLIS[found[2]]
    return whole_number(name, age, "milliseconds, 1 or more", least=1)
