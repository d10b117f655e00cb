"""Walk through all blocks of a log file, to check them.

- Readers pass over torn and unfinished blocks, which crashes leave.  Here they are errors, since
  a damaged length looks just like a crash, and hides rows.
- Damage in the content of a block hides no later block.  Damage in its headers, in a frame that is
  whole, ends the check.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom.errors import ByteloomError, FormatError, Truncated
from byteloom.hudi.logs import HEADERS, MAGIC, BlockType, LogBlock, read_blocks
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage import Source
from byteloom_generated.hfile import hudi_log as layout

if TYPE_CHECKING:
    Content = Callable[[LogBlock, list[ByteloomError]], int]

__all__ = ["Content", "Met", "walk"]

_MOST: Final = 1_000
"""Torn blocks after which the check ends: bytes that are no log could have millions."""

_TYPE: Final = HEADERS - 4
"""Bytes of a block before its type."""

_ARCHIVED: Final = ".commits_.archive."
"""How the names of logs begin in which Hudi keeps the timeline of old tables, without instants."""

_DATA: Final = ("instant_time", "schema")
_NEEDED: Final = {
    BlockType.COMMAND: ("instant_time", "target_instant_time", "command_block_type"),
    BlockType.DELETE: ("instant_time",),
    BlockType.AVRO_DATA: _DATA,
    BlockType.HFILE_DATA: _DATA,
    BlockType.PARQUET_DATA: _DATA,
    BlockType.CDC_DATA: _DATA,
}
"""The headers without which Hudi cannot read a block."""

_OF_ARCHIVES: Final = {BlockType.AVRO_DATA: ("schema",)}


class Met(NamedTuple):
    """A block that a walk met.

    Attributes:
        start: Its offset.
        records: How many records or keys it has; None for a torn or damaged one.
        error: The first thing that is wrong with it.
    """

    start: int
    block: LogBlock
    records: int | None
    error: ByteloomError | None


def walk(
    source: Source,
    content: Content,
    errors: list[ByteloomError],
    torn: list[ByteloomError] | None = None,
) -> Iterator[Met]:
    """Yield the blocks of a log file, up to the first with damaged headers.

    Args:
        content: Returns how many records a whole block has, whose headers are there; what is
            wrong with them it raises, or puts into the list that it gets.
        errors: Gets everything that is wrong.
        torn: Gets what is wrong with torn and unfinished blocks instead, unless it is None.
    """
    torn = errors if torn is None else torn
    at = number = crashes = 0
    is_archive = source.name.rpartition("/")[2].startswith(_ARCHIVED)
    needed = _OF_ARCHIVES if is_archive else _NEEDED
    try:
        for block in read_blocks(source, largest=DEFAULT_LIMITS.metadata_size):
            found: list[ByteloomError] = []
            records = None
            try:
                records = _records(block, at, content, needed, found)
            except ByteloomError as error:
                found.append(error)
            for each in found:
                _in_block(each, number, at)
            (errors if block.torn is None else torn).extend(found)
            yield Met(at, block, None if found else records, found[0] if found else None)
            at, number, crashes = block.end, number + 1, crashes + (block.torn is not None)
            if crashes == _MOST:
                return
    except FormatError as error:
        errors.append(_in_block(error, number, at))
        return
    if at < source.size:
        wanted = f"{MAGIC!r}: an unfinished block, which readers ignore"
        rest = source.read(at, source.size - at)
        torn.append(Truncated(f"blocks[{number}].magic", at, rest, wanted))


def _in_block(error: ByteloomError, number: int, start: int) -> ByteloomError:
    """Return the same error, with the block in its path; of a header without a place, theirs."""
    if isinstance(error, FormatError):
        record, _, field = error.path.partition(".")
        if record == layout.LogBlock.NAME:
            error.path = field
        elif record in {layout.AvroData.NAME, layout.Deletes.NAME}:
            error.path = f"body.content.{field}".rstrip(".")
        error.offset = start + HEADERS if error.offset is None else error.offset
        error.inside(f"blocks[{number}]")
    return error


def _records(
    block: LogBlock,
    start: int,
    content: Content,
    needed: Mapping[BlockType, Sequence[str]],
    errors: list[ByteloomError],
) -> int:
    """Return how many records a block has; raise what is wrong with it, or put it into *errors*.

    Args:
        needed: The headers that blocks of each type need.
    """
    if block.torn is not None:
        raise block.torn
    if block.type not in needed:
        wanted = "a type that writers write: readers pass over this block"
        raise FormatError("body.type", start + _TYPE, block.type.name.lower(), wanted)
    for name in needed[block.type]:
        if not block.headers.get(name):
            wanted = f"one in a block of type {block.type.name.lower()}"
            raise FormatError("body.headers", start + HEADERS, f"no {name}", wanted)
    return content(block, errors)
