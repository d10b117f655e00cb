"""Block indexes: entries of the root and of the blocks below it.

- The root is parsed when a file is opened; blocks below are parsed when they are needed.
- A root with only short keys, as most are, is read in one loop; any other is read by the spec's
  records, which report what is wrong with it.
- The length of a root key is Hadoop's integer.  Hudi 1.1 wrote protobuf's instead, which is the
  same up to 127, but differs above.  Protobuf's is assumed where only that form fits the index to
  its last byte, with consecutive blocks.

Source: specs/hfile/index.ksy
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple

from byteloom.errors import FormatError
from byteloom.hfile.keys import is_row_alone
from byteloom.limits import Limits
from byteloom.wire import Reader
from byteloom_generated.hfile.index import Index, MidKey, NonRootIndex, RootEntry
from byteloom_generated.hfile.varints import ProtobufVarint

__all__ = ["IndexEntry", "Root", "non_root_entries", "read_root"]

_MID_KEY = MidKey.SIZE
_PLACE = Struct(">qiB")
_LONGEST = 127
"""Most bytes of a key whose length takes one byte, which is the same in both forms."""


class IndexEntry(NamedTuple):
    """Where a block is, and a key that comes after all cells before the block."""

    offset: int
    size: int
    key: bytes


@dataclass(frozen=True, slots=True)
class Root:
    """A root index.

    Attributes:
        mid_key: The middle of the file; None if the index has a single level.
        protobuf: Whether lengths of keys are protobuf's, which differ from 128 on.
    """

    entries: list[IndexEntry]
    mid_key: MidKey | None
    protobuf: bool = False


def read_root(payload: bytes, count: int, *, limits: Limits, origin: int) -> Root:
    """Return the root index of *count* entries.

    Args:
        origin: Where its block begins, for errors.
    """
    return _with_short_keys(payload, count, limits) or _any_root(payload, count, limits, origin)


def _with_short_keys(payload: bytes, count: int, limits: Limits) -> Root | None:
    """Return the root if the length of every key is one byte, which both forms store alike."""
    if not 0 <= count <= min(len(payload) // _PLACE.size, limits.elements, limits.objects):
        return None
    stop, at = len(payload) - _PLACE.size, 0
    entries = []
    for _ in range(count):
        if at > stop:
            return None
        offset, size, length = _PLACE.unpack_from(payload, at)
        start = at + _PLACE.size
        at = start + length
        if length > _LONGEST:
            return None
        entries.append(IndexEntry(offset, size, payload[start:at]))
    if at not in {len(payload), len(payload) - _MID_KEY}:
        return None
    mid_key = MidKey.from_bytes(payload[at:], limits=limits) if at < len(payload) else None
    return Root(entries, mid_key)


def _any_root(payload: bytes, count: int, limits: Limits, origin: int) -> Root:
    try:
        root = Index.from_bytes(payload, num_entries=count, limits=limits, origin=origin)
    except FormatError as error:
        other = _with_protobuf(payload, count, limits)
        if other is None:
            raise error.inside("root_index") from error.__cause__
        return other
    entries = [IndexEntry(each.offset, each.len_block, each.key) for each in root.entries]
    used = sum(RootEntry.MIN_SIZE + len(each.len_key.rest) + len(each.key) for each in root.entries)
    fits = len(payload) - used in {0, _MID_KEY}
    if fits and _follow(entries):
        return Root(entries, root.mid_key)
    other = _with_protobuf(payload, count, limits)
    if other is not None and _follow(other.entries):
        return other
    if not fits:
        found = f"{len(payload) - used} bytes after {count} entries"
        raise FormatError("root_index", origin, found, f"none, or {_MID_KEY} of mid key")
    return Root(entries, root.mid_key)


def _follow(entries: list[IndexEntry]) -> bool:
    """Return whether the blocks of *entries* are in the order of the file and do not overlap."""
    ends = [0, *(entry.offset + entry.size for entry in entries)]
    return all(entry.offset >= end for entry, end in zip(entries, ends, strict=False))


def _with_protobuf(payload: bytes, count: int, limits: Limits) -> Root | None:
    """Return the entries if protobuf's lengths fit to the last byte, and all keys are rows."""
    reader, entries = Reader(payload, limits=limits), []
    try:
        for _ in reader.times("entries", count, RootEntry.MIN_SIZE):
            offset, size = reader.s8be("offset"), reader.s4be("len_block")
            length = reader.record("len_key", ProtobufVarint.read).value
            key = reader.bytes("key", length)
            if not is_row_alone(key):
                return None
            entries.append(IndexEntry(offset, size, key))
    except FormatError:
        return None
    return Root(entries, None, protobuf=True) if reader.eof else None


def non_root_entries(payload: bytes, *, limits: Limits, origin: int, room: int) -> list[IndexEntry]:
    """Return the entries of a leaf or intermediate block that begins at *origin*.

    Args:
        room: Number of blocks that the file has room for, which bounds the number of entries.
    """
    count = int.from_bytes(payload[: NonRootIndex.MIN_SIZE], "big", signed=True)
    if count > room:
        wanted = f"at most {room}, as many blocks as the file has room for"
        raise FormatError("index.num_entries", origin, count, wanted)
    index = NonRootIndex.from_bytes(payload, limits=limits, origin=origin)
    offsets = index.offsets
    table = 4 + 4 * len(offsets)
    if offsets[0] != 0 or table + offsets[-1] != len(payload):
        wanted = f"0 to {len(payload) - table}, where the entries are"
        raise FormatError("index.offsets", origin, (offsets[0], offsets[-1]), wanted)
    return [IndexEntry(each.offset, each.len_block, each.key) for each in index.entries]
