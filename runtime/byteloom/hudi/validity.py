"""Which instants count, and which blocks of a slice's log files, in what order.

The metadata table is written before the table itself commits, so its own timeline does not decide.
An instant counts if it is

- completed in the timeline of the table;
- a completed deltacommit of the metadata table that is not pending in the table: indexing, the
  first filling of a partition, log compaction, and instants that the table has archived;
- rolled back by a rollback or restore of the table: the metadata table got the rollback under
  another instant, and rolled back the instant's own blocks;
- a rollback or restore of the metadata table.

Rollbacks older than the last compaction of the metadata table are not opened, since no log block
is that old.  Of the blocks:

- Corrupt ones do not count, nor do those that are newer than the newest completed instant, or
  whose instant is not valid.  Up to version 6 their instant must be completed in the timeline of
  the metadata table as well, since a failed write stays in the log.
- A rollback command removes what its target instant wrote before it, however many blocks that are.
- Log compaction leaves a block that names the instants it replaces.  Going from the newest to the
  oldest, blocks of a named instant are skipped, and the compacted block takes the place of the
  newest of them; it may name an instant that is itself a log compaction.
- Otherwise blocks count in the order of the log files.

Source: https://hudi.apache.org/docs/metadata; https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from byteloom.errors import FormatError, Unsupported, found_by
from byteloom.hudi.logs import BlockType, LogBlock
from byteloom.hudi.timeline import Instant, Timeline

__all__ = ["RECORDS", "Validity", "counted", "valid_instants"]

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


RECORDS: Final = (BlockType.HFILE_DATA, BlockType.DELETE)
"""Types of blocks that hold records, or delete them."""

_COMPACTED: Final = "compacted_block_times"
_ROLLBACK: Final = "0"


@dataclass(frozen=True, slots=True)
class Validity:
    """The rule that decides whether the blocks of an instant count.

    Attributes:
        valid: Times of the instants whose blocks count.
        latest: The newest completed instant of the metadata table.
        timeline: The timeline of the metadata table, up to version 6; None later.
    """

    valid: Collection[str]
    latest: str
    timeline: Timeline | None

    def __contains__(self, instant: object) -> bool:
        """Whether the blocks of *instant* count."""
        return (
            isinstance(instant, str)
            and instant <= self.latest
            and (self.timeline is None or self.timeline.has_completed(instant))
            and instant in self.valid
        )


def counted(blocks: Iterable[LogBlock], validity: Validity) -> list[LogBlock]:
    """Return the blocks that count, in the order in which their records apply.

    Args:
        blocks: The blocks of all log files of a slice, in their order.

    Raises:
        Unsupported: For kinds of blocks that no metadata table holds.
        FormatError: A damaged file.
    """
    kept: list[LogBlock] = []
    for block in blocks:
        if block.type == BlockType.COMMAND:
            target = _target(block)
            kept = [each for each in kept if each.instant != target]
        elif block.type in RECORDS:
            if block.instant in validity:
                kept.append(block)
        elif block.type != BlockType.CORRUPT:
            found = block.type.name.lower()
            wanted = "hfile_data, delete or command"
            raise Unsupported(f"{block.file}: log_block.type", block.offset, found, wanted)
    if any(_COMPACTED in block.headers for block in kept):
        return _in_place(kept)
    return kept


def _target(block: LogBlock) -> str:
    """Return the instant that a command rolls back."""
    kind = block.headers.get("command_block_type")
    if kind != _ROLLBACK:
        path = f"{block.file}: log_block.headers.command_block_type"
        raise Unsupported(path, block.offset, kind, f"{_ROLLBACK}, a rollback")
    target = block.headers.get("target_instant_time")
    if target is None:
        path = f"{block.file}: log_block.headers.target_instant_time"
        raise FormatError(path, block.offset, "none", "the instant to roll back")
    return target


def _in_place(blocks: list[LogBlock]) -> list[LogBlock]:
    """Put compacted blocks in the place of the newest block that they replace."""
    by_instant: dict[str, list[LogBlock]] = {}
    for block in blocks:
        by_instant.setdefault(block.instant, []).append(block)
    stands_for: dict[str, str] = {}
    order: list[str] = []
    for instant, written in reversed(by_instant.items()):
        last = stands_for.get(instant, instant)
        if _COMPACTED in written[0].headers:
            stands_for.update(dict.fromkeys(_named(written[0]), last))
        elif last not in order:
            order.append(last)
    return [block for instant in reversed(order) for block in by_instant[instant]]


def _named(block: LogBlock) -> list[str]:
    return [time.strip() for time in block.headers[_COMPACTED].split(",")]
