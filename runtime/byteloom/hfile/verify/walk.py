"""Find every block of a file without any index, from the first byte to the trailer.

- Blocks follow each other without a gap.  Where a header cannot be right, the walk goes on at the
  next magic anywhere after it, and the bytes between are a finding.
- Each checksum of each block is compared.  The content of a damaged block is not checked.
- Of data blocks only the header is kept, however large the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from byteloom.errors import FormatError
from byteloom.hfile.blocks import (
    FILE_TYPES,
    HEADER_SIZE,
    PLACES,
    TYPE_NAMES,
    Block,
    Blocks,
    mismatches,
)
from byteloom.hfile.verify.findings import Findings
from byteloom.storage import Source

__all__ = ["FoundBlock", "walk"]

_FETCH: Final = 8 << 20
_MAGIC: Final = PLACES["len_on_disk"]
_SIZED: Final = PLACES["len_uncompressed"]
_LARGE: Final = ("data", "encoded_data", "bloom_chunk", "meta")
"""Types whose payload is read again when it is needed."""


@dataclass(frozen=True, slots=True)
class FoundBlock:
    """A block that the walk found.

    Attributes:
        block: None where its header makes no sense; one of a large type is without its payload.
        is_sound: Its header makes sense, and its checksums are those of its bytes.
    """

    offset: int
    size: int
    type: str
    block: Block | None
    is_sound: bool


class _Window:
    """The bytes of a source, fetched in large pieces."""

    def __init__(self, source: Source, end: int) -> None:
        self._source, self._end, self._start, self._bytes = source, end, 0, b""

    def read(self, at: int, size: int) -> bytes:
        """Return the bytes at *at*, fewer than *size* at the end."""
        size = min(size, self._end - at)
        if not self._start <= at <= at + size <= self._start + len(self._bytes):
            self._bytes = self._source.read(at, min(max(size, _FETCH), self._end - at))
            self._start = at
        return self._bytes[at - self._start : at - self._start + size]

    def next_magic(self, at: int) -> int:
        """Return where the next block may begin, at *at* or after it; the end if there is none."""
        while at < self._end:
            piece = self.read(at, _FETCH)
            found = [place for place in map(piece.find, FILE_TYPES) if place >= 0]
            if found:
                return at + min(found)
            if at + len(piece) >= self._end:
                break
            at += len(piece) - _MAGIC + 1
        return self._end


def walk(source: Source, blocks: Blocks, end: int, findings: Findings) -> list[FoundBlock]:
    """Return the blocks before *end*, sound or not, and report what is wrong with them.

    Args:
        blocks: Parses them; it must not compare checksums: each wrong one becomes a finding.
    """
    window, met, at = _Window(source, end), [], 0
    while at < end:
        one = _meet(window, blocks, at, end, findings)
        if one is not None:
            met.append(one)
            at += one.size
            continue
        found = window.next_magic(at + 1)
        is_cut = found == end and findings.errors[-1].path == "block.len_on_disk"
        if not is_cut and (found > at + HEADER_SIZE or found == end):
            findings.add("block", at, f"{found - at} bytes that are not a block", "a block")
        at = found
    return met


def _meet(
    window: _Window, blocks: Blocks, at: int, end: int, findings: Findings
) -> FoundBlock | None:
    """Return the block at *at*; None if its end is unknown."""
    try:
        header = blocks.header(window.read(at, HEADER_SIZE), at)
    except FormatError as error:
        findings.extend([error])
        return _by_its_size(window, at, end)
    kind, size = TYPE_NAMES[header.magic], HEADER_SIZE + header.len_on_disk
    if size > end - at:
        wanted = f"at most {end - at - HEADER_SIZE}, where the section ends"
        findings.add("block.len_on_disk", at + 8, header.len_on_disk, wanted)
        return None
    raw = window.read(at, size)
    try:
        block = blocks.parse(raw, at, 0, end)
    except FormatError as error:
        findings.extend([error])
        is_followed = _begins(window, at + size, end)
        return FoundBlock(at, size, kind, None, is_sound=False) if is_followed else None
    wrong = list(mismatches(_sealed(block, raw), memoryview(raw)))
    findings.extend(wrong)
    if kind in _LARGE:
        block = replace(block, buffer=b"", start=0)
    return FoundBlock(at, size, kind, block, is_sound=not wrong)


def _sealed(block: Block, raw: bytes) -> Block:
    """Return *block* as it is stored in the file, even if its payload was decrypted."""
    return Block(block.offset, block.type, block.header, raw, HEADER_SIZE)


def _by_its_size(window: _Window, at: int, end: int) -> FoundBlock | None:
    """Return the block of a damaged header if the size in it still leads to another block."""
    raw = window.read(at, HEADER_SIZE)
    size = HEADER_SIZE + int.from_bytes(raw[PLACES["len_on_disk"] : _SIZED], "big")
    if len(raw) < HEADER_SIZE or not _begins(window, at + size, end):
        return None
    kind = FILE_TYPES.get(raw[:_MAGIC], "unknown")
    return FoundBlock(at, size, kind, None, is_sound=False)


def _begins(window: _Window, at: int, end: int) -> bool:
    """Whether a block may begin at *at*, or *at* is the end."""
    return at == end or (at < end and window.read(at, _MAGIC) in FILE_TYPES)
