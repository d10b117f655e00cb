"""Runs of ORC read one value at a time, in plain Python.

A run that the bytes cut off is a `CutOff`; a `ValueError` is one of no sound writer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WIDTHS: Final = [*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64]
"""Bits of a value, by the code that a run has for them."""


class CutOff(Exception):
    """A run goes on after the end."""


@dataclass
class Source:
    """Bytes, and how many of them were read."""

    data: bytes
    at: int = 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        if size > len(self.data) - self.at:
            raise CutOff
        self.at += size
        return self.data[self.at - size : self.at]

    def byte(self) -> int:
        """The next byte."""
        return self.take(1)[0]

    def bits(self, width: int, count: int) -> list[int]:
        """Values of a given number of bits each, the highest first, to the end of a byte."""
        size = (width * count + 7) // 8
        whole = int.from_bytes(self.take(size), "big") >> 8 * size - width * count
        mask = (1 << width) - 1
        return [whole >> width * number & mask for number in reversed(range(count))]

    def varint(self) -> int:
        """A number of seven bits a byte, below 2^64."""
        value = 0
        for place in range(10):
            held = self.byte()
            value |= (held & 127) << 7 * place
            if held < 128:
                if value >> 64:
                    raise CutOff  # what is no number is cut off, for a reader
                return value
        raise CutOff

    def zigzag(self) -> int:
        """A number whose sign is the lowest bit."""
        value = self.varint()
        return value >> 1 ^ -(value & 1)


def signed(value: int, bits: int = 64) -> int:
    """The number that a word of 64 bits holds."""
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def unfolded(value: int) -> int:
    """The number whose sign is the lowest bit of *value*, of 64 bits."""
    value &= (1 << 64) - 1
    return value >> 1 ^ -(value & 1)


def second_form(source: Source, room: int, *, is_signed: bool = False) -> list[int]:
    """The values of a run of version 2, of which there may be *room*."""
    of = unfolded if is_signed else signed
    head = source.byte()
    if head < 64:
        values = [int.from_bytes(source.take((head >> 3) + 1), "big")] * ((head & 7) + 3)
        if len(values) > room:
            raise ValueError
        return [of(each) for each in values]
    count = ((head & 1) << 8 | source.byte()) + 1
    if count > room:
        raise ValueError
    code = head >> 1 & 31
    width = WIDTHS[code]
    if head < 128:
        return [of(each) for each in source.bits(width, count)]
    if head >= 192:
        return _steps(source, count, width if code else 0, is_signed=is_signed)
    return _patched(source, count, width)


def _patched(source: Source, count: int, width: int) -> list[int]:
    first, second = source.take(2)
    base_size, patch = (first >> 5) + 1, WIDTHS[first & 31]
    gap, patches = (second >> 5) + 1, second & 31
    if gap + patch > 64:
        raise ValueError
    base = int.from_bytes(source.take(base_size), "big")
    sign = 1 << 8 * base_size - 1
    base = -(base - sign) if base & sign else base
    values = source.bits(width, count)
    entry = min(each for each in WIDTHS if each >= gap + patch)
    stored, place = source.bits(entry, patches), 0
    for each in stored:
        place += each >> patch & (1 << gap) - 1
        if place >= count:
            raise ValueError
        values[place] |= (each & (1 << patch) - 1) << width
    return [signed(each + base) for each in values]


def _steps(source: Source, count: int, width: int, *, is_signed: bool) -> list[int]:
    value, step = source.zigzag() if is_signed else source.varint(), source.zigzag()
    more = source.bits(width, max(count - 2, 0)) if width else [abs(step)] * max(count - 2, 0)
    values = [value, value + step][:count]
    for each in more:
        values.append(values[-1] + (each if step >= 0 else -each))
    return [signed(each) for each in values]


def first_form(source: Source, *, is_signed: bool = False) -> list[int]:
    """The values of a run of version 1."""
    head, take = source.byte(), source.zigzag if is_signed else source.varint
    if head < 128:
        step = signed(source.byte(), 8)
        value = take()
        return [signed(value + number * step) for number in range(head + 3)]
    return [signed(take()) for _ in range(256 - head)]
