"""Check a log file: walk through all of its blocks, and check the content of each by its type.

- Readers pass over torn and unfinished blocks, which crashes leave.  Here they are errors, since
  a damaged length looks just like a crash, and hides rows.
- Damage in the content of a block hides no later block.  Damage in its headers, in a frame that is
  whole, ends the check.
- Records are decoded by the schema in their block's headers, and take exactly the bytes that their
  lengths say.
- Offsets in errors count from the start of the log file.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import (
    ByteloomError,
    FormatError,
    LimitExceeded,
    Truncated,
    Unsupported,
    count_of_bytes,
)
from byteloom.hfile.reader import HFile
from byteloom.hfile.verify import audit_source
from byteloom.hudi.avro_values import decode, program
from byteloom.hudi.log_records import avro_values, deleted_keys, sizes_of, starts_of
from byteloom.hudi.logs import HEADERS, MAGIC, BlockType, LogBlock, read_blocks
from byteloom.limits import DEFAULT_LIMITS
from byteloom.parquet.whole import check_rows
from byteloom.storage import Source
from byteloom.storage.sources import BytesSource
from byteloom_generated.hfile import hudi_log as layout

if TYPE_CHECKING:
    Content = Callable[[LogBlock, list[ByteloomError]], int]

__all__ = ["Content", "Met", "check_content", "in_content", "walk"]

_ROLLBACK: Final = "0"
"""The only kind of command."""

_CHUNK: Final = 1 << 24
"""Bytes of records that are decoded at once."""


def check_content(block: LogBlock, errors: list[ByteloomError], notes: list[str]) -> int:
    """Check the content of a whole block; return how many records it has, or keys that it deletes.

    Args:
        errors: Gets everything that is wrong with an HFile, whose check continues after an error.
        notes: Gets what is not damage.

    Raises:
        FormatError: For all other damage.
    """
    match block.type:
        case BlockType.DELETE:
            return len(deleted_keys(block))
        case BlockType.HFILE_DATA:
            return _check_hfile(block, errors, notes)
        case BlockType.PARQUET_DATA:
            with in_content(block):
                return check_rows(BytesSource(block.content), DEFAULT_LIMITS)
        case BlockType.COMMAND:
            return _check_command(block)
        case _:
            return _check_avro(block, notes)


@contextmanager
def in_content(block: LogBlock) -> Iterator[None]:
    """Let errors about a file that is a block's content have its place in the log."""
    try:
        yield
    except FormatError as error:
        raise _placed(error, block) from error.__cause__


def _placed(error: FormatError, block: LogBlock) -> FormatError:
    error.offset = error.offset or 0
    if isinstance(error.found, str):
        error.found = error.found.replace(" of the file)", " of the file in the block)")
    return error.moved(block.offset).inside("body.content")


def _check_command(block: LogBlock) -> int:
    kind = block.headers["command_block_type"]
    if kind != _ROLLBACK:
        wanted = f"{_ROLLBACK!r}, a rollback"
        made = Unsupported if kind.isdecimal() else FormatError  # later kinds may be sound
        raise made("body.headers.command_block_type", None, repr(kind), wanted)
    if block.content:
        found = count_of_bytes(len(block.content))
        raise FormatError("body.content", block.offset, found, "none in a command")
    return 0


def _check_hfile(block: LogBlock, errors: list[ByteloomError], notes: list[str]) -> int:
    """Check the HFile, and then its values, which are records of the block's schema."""
    source = BytesSource(block.content)
    found = audit_source(source, protobuf_keys=True)
    notes += [f"in HFiles: {each}" for each in found.notes]
    errors += (_placed(each, block) for each in found.findings)
    if not found.findings and _is_readable(block, notes):
        with in_content(block):
            _decode_values(HFile(source, protobuf_keys=True), block.headers["schema"])
    return found.cells


def _decode_values(file: HFile, schema: str) -> None:
    """Decode the values of an HFile; they have numbers, and no places."""
    first = 0
    for batch in file.batches(["value"]):
        values = batch.column("value")
        try:
            decode(values, schema, first=first, limits=DEFAULT_LIMITS)
        except FormatError as error:
            error.offset = None  # it counts from the start of the value
            raise
        first += len(values)


def _check_avro(block: LogBlock, notes: list[str]) -> int:
    """Check that each record is a value of the block's schema, and has no other bytes."""
    values = avro_values(block)
    sizes = sizes_of(values)
    starts, ends = starts_of(sizes), np.cumsum(sizes)
    first = 0 if _is_readable(block, notes) else len(values)
    while first < len(values):
        before = int(ends[first] - sizes[first])
        stop = max(int(np.searchsorted(ends, before + _CHUNK, "right")), first + 1)
        _decode(block, values.slice(first, stop - first), starts[first:stop], first)
        first = stop
    return len(values)


def _is_readable(block: LogBlock, notes: list[str]) -> bool:
    """Return whether records can be decoded by the schema of a block; if not, a note says why.

    Raises:
        FormatError: For anything but a schema.
    """
    try:
        program(block.headers["schema"])
    except Unsupported as error:
        notes.append(f"records not decoded: {error.found}")
        return False
    except FormatError as error:
        raise error.inside("body.headers") from error.__cause__
    return True


def _decode(block: LogBlock, values: pa.Array, starts: np.ndarray, first: int) -> None:
    """Decode some records, of which the number *first* is the first."""

    def placed(error: FormatError, value: int) -> FormatError:
        path = f"body.content.records[{first + value}].content.{error.path.partition('].')[2]}"
        error = FormatError(path, error.offset, error.found, error.wanted)
        return error.moved(block.offset + int(starts[value]))

    try:
        decode(values, block.headers["schema"], limits=DEFAULT_LIMITS, placed=placed)
    except LimitExceeded as error:
        error.offset = block.offset
        raise error.inside("body.content") from error.__cause__
    except FormatError as error:
        if error.offset is not None:
            raise
        # The error about invalid text names no record: halves show which one it is.
        half = len(values) // 2
        if half:
            _decode(block, values.slice(0, half), starts[:half], first)
            _decode(block, values.slice(half), starts[half:], first + half)
        path, place = f"body.content.records[{first}].content", block.offset + int(starts[0])
        raise FormatError(path, place, error.found, error.wanted) from error


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
