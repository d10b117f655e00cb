"""Which instants count: those whose log blocks are read from a metadata table.

The metadata table is written before the table itself commits, so its own timeline does not decide.
An instant counts if it is

- completed in the timeline of the table;
- a completed deltacommit of the metadata table that is not pending in the table: indexing, the
  first filling of a partition, log compaction, and instants that the table has archived;
- rolled back by a rollback or restore of the table: the metadata table got the rollback under
  another instant, and rolled back the instant's own blocks;
- a rollback or restore of the metadata table.

Rollbacks older than the last compaction of the metadata table are not opened, since no log block
is that old.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from byteloom.errors import FormatError, found_by
from byteloom.hudi.timeline import Instant, Timeline

__all__ = ["valid_instants"]

SOLO_COMMIT: Final = "00000000000000"
"""Prefix of the times of instants that fill a partition for the first time."""

_UNDOING: Final = frozenset({"rollback", "restore"})


def valid_instants(data: Timeline, metadata: Timeline) -> frozenset[str]:
    """Return the times of the instants that count.

    Args:
        data: Timeline of the table.
        metadata: The timeline of its metadata table.

    Raises:
        FormatError: For a rollback that does not name what it rolled back.
    """
    pending = {each.time for each in data.pending}
    valid = {each.time for each in data.completed}
    deltas = {each.time for each in metadata.completed if each.action == "deltacommit"}
    valid |= deltas - pending
    compacted = (each.time for each in metadata.completed if each.action == "commit")
    since = max(min(valid, default=SOLO_COMMIT), max(compacted, default=""))
    for instant in data.completed:
        if instant.action in _UNDOING and instant.time > since:
            valid.update(_undone(data, instant))
    valid |= {each.time for each in metadata.completed if each.action in _UNDOING}
    return frozenset(valid | {time for time in deltas if time.startswith(SOLO_COMMIT)})


def _undone(timeline: Timeline, instant: Instant) -> Iterator[str]:
    """Yield the instants that a rollback or a restore undid."""
    try:
        if instant.action == "rollback":
            yield from _rolled_back(timeline, instant)
            return
        content = timeline.content(instant)
        for rollbacks in content["hoodieRestoreMetadata"].values():
            for rollback in rollbacks:
                yield from map(str, rollback["commitsRollback"])
    except (KeyError, TypeError, AttributeError) as error:
        found = found_by("a record without it", error)
        wanted = f"what the {instant.action} undid"
        raise FormatError(instant.name, None, found, wanted) from error


def _rolled_back(timeline: Timeline, instant: Instant) -> list[str]:
    """Return the instants that a rollback undid; if its file is empty, its request names them."""
    if instant.size:
        return [str(time) for time in timeline.content(instant)["commitsRollback"]]
    plan: dict[str, Any] = timeline.plan(instant)
    return [str(plan["instantToRollback"]["commitTime"])]
