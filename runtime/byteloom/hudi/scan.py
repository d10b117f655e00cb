"""Which blocks of a slice's log files count, and in what order.

- Corrupt blocks do not count, nor do blocks that are newer than the newest completed instant, or
  whose instant is not valid.  Up to version 6 their instant must be completed in the timeline of
  the metadata table as well, since a failed write stays in the log.
- A rollback command removes what its target instant wrote before it, however many blocks that are.
- Log compaction leaves a block that names the instants it replaces.  Going from the newest to the
  oldest, blocks of a named instant are skipped, and the compacted block takes the place of the
  newest of them; it may name an instant that is itself a log compaction.
- Otherwise blocks count in the order of the log files.

Source: https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from byteloom.errors import FormatError, Unsupported
from byteloom.hudi.logs import BlockType, LogBlock
from byteloom.hudi.timeline import Timeline

__all__ = ["RECORDS", "Validity", "counted"]

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
