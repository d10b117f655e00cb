"""Log files: consecutive blocks, with the remains of torn blocks between them.

- A block is corrupt, usually by a crash, if its length reaches beyond the file, or if it is not
  followed by a copy of that length and the next magic. It ends at the next magic.
- All other blocks are complete; anything wrong inside one is an error.
- If fewer bytes than a magic are left at the end of the file, they are an unfinished block, which
  is ignored.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.naming import about_file
from byteloom_generated.hfile.hudi_log import BlockType, HeaderKey
from byteloom_generated.hfile.hudi_log import LogBlock as Framed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from byteloom.storage import Source

__all__ = ["BlockType", "LogBlock", "read_blocks"]

MAGIC: Final = Framed.magic
_LENGTH: Final = 8
_CHUNKS: Final = (1 << 12, 1 << 20)
"""Bytes of the first search for the next magic and of the longest.  Each search doubles the number,
so that adjacent magics cost no more than bytes without any.
"""


@dataclass(frozen=True, slots=True)
class LogBlock:
    """One block of a log file.

    file     name of the log file, for errors
    type     the kind of its content
    headers  by name, in lower case: ``instant_time``, ``schema``, ...; empty for a corrupt one
    content  its bytes; empty for a corrupt one
     offset   where the content begins in the file; for a corrupt one, where its magic ends
    end      where the next block begins in the file
    """

    file: str
    type: BlockType
    headers: Mapping[str, str]
    content: bytes
    offset: int
    end: int

    @property
    def instant(self) -> str:
        """The instant that wrote it; empty for a corrupt block."""
        return self.headers.get("instant_time", "")


def read_blocks(
    source: Source, name: str = "", *, limits: Limits = DEFAULT_LIMITS
) -> Iterator[LogBlock]:
    """Yield the blocks of a log file, the corrupt ones among them.

    name    of the file, for errors
    raises  `FormatError` for a file that does not begin with a block, and for damage inside a
            whole one
    """
    at = 0
    with about_file(name):
        while source.size - at >= len(MAGIC):
            found = source.read(at, len(MAGIC))
            if found != MAGIC:
                raise FormatError("log_block.magic", at, found, repr(MAGIC))
            block = _block(source, name, at, limits)
            yield block
            at = block.end


def _block(source: Source, name: str, at: int, limits: Limits) -> LogBlock:
    size = _sound_size(source, at)
    if size is None:
        start = at + len(MAGIC)
        return LogBlock(name, BlockType.CORRUPT, {}, b"", start, _next_magic(source, start))
    framed = Framed.from_bytes(source.read(at, size), limits=limits, origin=at)
    body = framed.body
    footers = len(body.footers.to_bytes()) + _LENGTH
    offset = at + size - footers - len(body.content)
    headers = _headers(framed, at)
    return LogBlock(name, BlockType(body.type), headers, body.content, offset, at + size)


def _sound_size(source: Source, at: int) -> int | None:
    """Return the size of the block at *at* of the file; None for a corrupt one."""
    start = at + len(MAGIC)
    if source.size - start < _LENGTH:
        return None
    size = int.from_bytes(source.read(start, _LENGTH), "big", signed=True)
    start += _LENGTH
    end = start + size
    if not _LENGTH <= size <= source.size - start:
        return None
    again = int.from_bytes(source.read(end - _LENGTH, _LENGTH), "big", signed=True)
    if again != size + len(MAGIC):
        return None
    if source.size - end >= len(MAGIC) and source.read(end, len(MAGIC)) != MAGIC:
        return None
    return end - at


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
    found = {}
    for entry in framed.body.headers.entries:
        name = entry.key.name.lower() if isinstance(entry.key, HeaderKey) else str(entry.key)
        try:
            found[name] = entry.value.decode()
        except UnicodeDecodeError as error:
            raise FormatError(f"headers.{name}", at, entry.value, "UTF-8") from error
    return found
