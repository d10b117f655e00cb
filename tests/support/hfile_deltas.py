"""Cells of PREFIX, DIFF and FAST_DIFF read one at a time, in plain Python.

What is damaged is a `ValueError`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

PREFIX: Final = 2
DIFF: Final = 3
FAST_DIFF: Final = 4

_KEPT: Final = 127
_LITERAL: Final = 255
_TIME_AND_TYPE: Final = 9
_WORD: Final = 1 << 64


def check(*sound: bool) -> None:
    """Refuse what is not sound."""
    if not all(sound):
        raise ValueError


@dataclass
class Bytes:
    """Some bytes, and how many of them were read."""

    data: bytes
    at: int = 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        check(0 <= size <= len(self.data) - self.at)
        self.at += size
        return self.data[self.at - size : self.at]

    def byte(self) -> int:
        """The next byte."""
        return self.take(1)[0]

    def length(self) -> int:
        """A number of seven bits a byte, the lowest first, below 2^31."""
        value = 0
        for place in range(10):
            held = self.byte()
            value |= (held & 127) << 7 * place
            if held < 128:
                check(value < 1 << 31)
                return value
        raise ValueError

    def hadoop(self) -> bytes:
        """The bytes of one of Hadoop's integers."""
        first = self.data[self.at : self.at + 1]
        number = int.from_bytes(first, "big", signed=True)
        more = 0 if number >= -112 else (-112 - number if number >= -120 else -120 - number)
        found = self.take(1 + more)
        check(more < 8 or found[1] < 128)
        return found


@dataclass
class Tags:
    """The tags of a block that are kept, and their numbers from the one not used for longest on."""

    kept: list[bytes] = field(default_factory=list)
    used: list[int] = field(default_factory=list)

    def expanded(self, source: Bytes, size: int) -> bytes:
        """The next tags, *size* bytes of them, from the dictionary or as they are."""
        out = b""
        while len(out) < size:
            status = source.byte()
            if status == _LITERAL:
                tag = source.take(source.length())
                number = len(self.kept)
                if number < _KEPT:
                    self.kept.append(tag)
                else:
                    number = self.used[0]
                    self.kept[number] = tag
            else:
                number = status << 8 | source.byte()
                check(number < len(self.kept))
                tag = self.kept[number]
            self.used = [each for each in self.used if each != number] + [number]
            out += len(tag).to_bytes(2, "big") + tag if len(tag) < 1 << 16 else bytes(size + 1)
        check(len(out) == size)
        return out


@dataclass
class Before:
    """The parts of the previous cell that the next may share."""

    names: bytes = b""
    family: bytes = b""
    key: bytes = b""
    value: bytes = b""
    len_key: int = -1
    len_value: int = 0
    time: int = 0
    kind: int = 0


def _names(source: Bytes, before: Before, size: int, common: int) -> bytes:
    """Row, family and qualifier with their lengths: *size* bytes."""
    check(common <= len(before.names), common <= size, size >= 2)
    names = before.names[:common]
    names += source.take(max(2 - common, 0))
    row_end = 2 + int.from_bytes(names[:2], "big")
    if common < row_end:
        names += source.take(row_end - len(names)) + before.family
        check(len(names) <= size)
    else:
        check(common >= row_end + len(before.family))
    return names + source.take(size - len(names))


def _prefix(source: Bytes, before: Before) -> None:
    rest, before.len_value, common = source.length(), source.length(), source.length()
    check(common <= len(before.key), common + rest >= 2)
    before.key = before.key[:common] + source.take(rest)
    before.value = source.take(before.len_value)


def _diff(source: Bytes, before: Before) -> None:
    flag, is_first = source.byte(), before.len_key < 0
    check(not is_first or not flag & 15)
    if not flag & 1:
        before.len_key = source.length()
    if not flag & 2:
        before.len_value = source.length()
    common = source.length()
    check(before.len_key >= 12)
    before.names = _names(source, before, before.len_key - _TIME_AND_TYPE, common)
    step = int.from_bytes(source.take((flag >> 4 & 7) + 1), "little")
    step = -step if flag & 128 else step
    before.time = (before.time - step if flag & 8 else step) % _WORD
    if not flag & 4:
        before.kind = source.byte()
    _end(before)
    before.value = source.take(before.len_value)


def _fast_diff(source: Bytes, before: Before) -> None:
    flag, is_first = source.byte(), before.len_key < 0
    check(not is_first or not flag)
    if not flag & 8:
        before.len_key = source.length()
    if not flag & 16:
        before.len_value = source.length()
    common = source.length()
    check(before.len_key >= 12)
    size = before.len_key - _TIME_AND_TYPE
    if is_first:
        check(common == 0)
        before.names = source.take(size)
        row_end = 2 + int.from_bytes(before.names[:2], "big")
        check(row_end < size)
        before.family = before.names[row_end : row_end + 1 + before.names[row_end]]
        check(len(before.family) == 1 + before.names[row_end])
        before.time = int.from_bytes(source.take(8), "big")
        before.kind = source.byte()
    else:
        before.names = _names(source, before, size, common)
        shared = flag & 7
        time = before.time.to_bytes(8, "big")[:shared] + source.take(8 - shared)
        before.time = int.from_bytes(time, "big")
        if not flag & 32:
            before.kind = source.byte()
    _end(before)
    check(not flag & 64 or flag & 16 != 0)
    if not flag & 64:
        before.value = source.take(before.len_value)


def _end(before: Before) -> None:
    before.key = before.names + before.time.to_bytes(8, "big") + bytes([before.kind])


_CELL: Final = {PREFIX: _prefix, DIFF: _diff, FAST_DIFF: _fast_diff}


def plain_cells(
    data: bytes, encoding: int, *, has_tags: bool, is_packed: bool, has_mvcc: bool
) -> bytes:
    """The cells of a block as they are stored without an encoding."""
    source, before, tags, out = Bytes(data), Before(), Tags(), b""
    if encoding == DIFF and data:
        size = source.byte()
        before.family = bytes([size]) + source.take(size)
    while source.at < len(data):
        _CELL[encoding](source, before)
        out += len(before.key).to_bytes(4, "big") + len(before.value).to_bytes(4, "big")
        out += before.key + before.value
        if has_tags:
            size = source.length()
            check(size < 1 << 16)
            out += size.to_bytes(2, "big")
            out += tags.expanded(source, size) if is_packed else source.take(size)
        if has_mvcc:
            out += source.hadoop()
    return out
