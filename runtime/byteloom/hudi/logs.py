"""Log files: consecutive blocks, with the remains of torn blocks between them.

- A block is corrupt, usually by a crash, if its length reaches beyond the file, or if it is not
  followed by a copy of that length and the next magic. It ends at the next magic.
- All other blocks are complete; anything wrong inside one is an error.
- If fewer bytes than a magic are left at the end of the file, they are an unfinished block, which
  is ignored.

Readers pass over corrupt and unfinished blocks.  What makes a block corrupt is kept, since a
damaged length looks like a crash.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from byteloom.errors import FormatError, TooLarge, Truncated, count_of_bytes
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage import Source
from byteloom.storage.naming import about_file
from byteloom_generated.hfile.hudi_log import BlockType, HeaderKey, MetadataEntry
from byteloom_generated.hfile.hudi_log import LogBlock as Framed

__all__ = ["HEADERS", "MAGIC", "BlockType", "LogBlock", "read_blocks"]

MAGIC: Final = Framed.magic
HEADERS: Final = 22
"""Bytes of a block before its headers: magic, length, version and type."""

_LENGTH: Final = 8
_NUMBER: Final = 4
"""Bytes of the number of headers."""

_LEAST: Final = 32
"""Least length of a block that the format allows."""

_CHUNKS: Final = (1 << 12, 1 << 20)
"""Bytes of the first search for the next magic and of the longest.  Each search doubles the number,
so that adjacent magics cost no more than bytes without any.
"""


@dataclass(frozen=True, slots=True)
class LogBlock:
    """One block of a log file.

    Attributes:
        file: Name of the log file, for errors.
        type: The kind of its content.
        headers: By name, in lower case: ``instant_time``, ``schema``, ...; empty for a corrupt
            one.
        content: Its bytes; empty for a corrupt one.
        offset: Where the content begins in the file; for a corrupt one, where its magic ends.
        end: Where the next block begins in the file.
        torn: What shows that a corrupt block is not whole; None for a whole block.
    """

    file: str
    type: BlockType
    headers: Mapping[str, str]
    content: bytes
    offset: int
    end: int
    torn: FormatError | None = None

    @property
    def instant(self) -> str:
        """The instant that wrote it; empty for a corrupt block."""
        return self.headers.get("instant_time", "")


def read_blocks(
    source: Source,
    name: str | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    largest: int | None = None,
) -> Iterator[LogBlock]:
    """Yield the blocks of a log file, the corrupt ones among them.

    Args:
        name: The name of the file, for errors; None for one without a name.
        largest: Most bytes of a whole block; None for any number.

    Raises:
        FormatError: For a file that does not begin with a block, and for damage inside a whole
            one.
        TooLarge: For a block that is larger than *largest*.
    """
    at = 0
    with about_file(name):
        while source.size - at >= len(MAGIC):
            found = source.read(at, len(MAGIC))
            if found != MAGIC:
                raise FormatError("log_block.magic", at, found, repr(MAGIC))
            block = _block(source, name or "", at, limits, largest)
            yield block
            at = block.end


def _block(source: Source, name: str, at: int, limits: Limits, largest: int | None) -> LogBlock:
    size = _framing(source, at)
    if isinstance(size, FormatError):
        start = at + len(MAGIC)
        end = _next_magic(source, start)
        torn = size.adding(f"a torn block of {count_of_bytes(end - at)}, which readers pass over")
        return LogBlock(name, BlockType.CORRUPT, {}, b"", start, end, torn)
    if largest is not None and size > largest:
        wanted = f"at most {largest} (limits.metadata_size)"
        raise TooLarge("log_block", at, count_of_bytes(size), wanted)
    framed = Framed.from_bytes(source.read(at, size), limits=limits, origin=at)
    body = framed.body
    footers = len(body.footers.to_bytes()) + _LENGTH
    offset = at + size - footers - len(body.content)
    headers = _headers(framed, at)
    return LogBlock(name, BlockType(body.type), headers, body.content, offset, at + size)


def _framing(source: Source, at: int) -> int | FormatError:
    """Return the size of the block at *at* of the file; of a corrupt one, what shows that."""
    start = at + len(MAGIC)
    left = source.size - start
    if left < _LENGTH:
        return _cut("log_block.len_block", start, left, _LENGTH)
    size = int.from_bytes(source.read(start, _LENGTH), "big", signed=True)
    end, left = start + _LENGTH + size, left - _LENGTH
    if size < _LENGTH:
        return FormatError("log_block.len_block", start, size, f"at least {_LEAST}")
    if size > left:
        return _cut("log_block.body", start + _LENGTH, left, size)
    again = int.from_bytes(source.read(end - _LENGTH, _LENGTH), "big", signed=True)
    if again != size + len(MAGIC):
        path, wanted = "log_block.len_total", str(size + len(MAGIC))
        return FormatError(path, end - _LENGTH, again, wanted)
    if source.size - end >= len(MAGIC):
        found = source.read(end, len(MAGIC))
        if found != MAGIC:
            return FormatError("log_block", end, f"{found!r} after the block", f"{MAGIC!r}")
    return end - at


def _cut(path: str, at: int, left: int, size: int) -> Truncated:
    return Truncated(path, at, f"{count_of_bytes(left)} left", count_of_bytes(size))


def _next_magic(source: Source, at: int) -> int:
    """Return where the next magic begins, at *at* or after it; the file's end if there is none."""
    size, longest = _CHUNKS
    while at < source.size:
        chunk = source.read(at, min(size, source.size - at))
        found = chunk.find(MAGIC)
        if found >= 0:
            return at + found
        if at + len(chunk) == source.size:
            break
        at += len(chunk) - len(MAGIC) + 1
        size = min(2 * size, longest)
    return source.size


def _headers(framed: Framed, at: int) -> dict[str, str]:
    """Return the headers of the block at *at* of the file."""
    found, place = {}, at + HEADERS + _NUMBER
    for entry in framed.body.headers.entries:
        name = entry.key.name.lower() if isinstance(entry.key, HeaderKey) else str(entry.key)
        place += MetadataEntry.MIN_SIZE
        try:
            found[name] = entry.value.decode()
        except UnicodeDecodeError as error:
            path = f"log_block.body.headers.{name}"
            raise FormatError(path, place + error.start, entry.value, "UTF-8") from error
        place += len(entry.value)
    return found
