"""Pages of Parquet read one value at a time, in plain Python; damage is a `ValueError`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_POSITIVE = (1 << 63) - 1


@dataclass
class Page:
    """A page without its header.

    kind    "data", "data v2" or "dictionary"
    count   its values, nulls included
    levels  bytes of its levels, where the header says so
    """

    kind: str
    count: int
    is_coded: bool
    levels: int
    data: bytes


def check(*sound: bool) -> None:
    """Refuse what is not sound."""
    if not all(sound):
        raise ValueError


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, below 2^63, and the place after it."""
    value = 0
    for place in range(10):
        check(at + place < len(data))
        held = data[at + place]
        value |= (held & 127) << 7 * place
        if held < 128:
            check(value < 1 << 64)
            return value & _POSITIVE, at + place + 1
    raise ValueError


def zigzag(data: bytes, at: int) -> tuple[int, int]:
    """A number whose sign is the lowest bit, and the place after it."""
    value, at = varint(data, at)
    return value >> 1 ^ -(value & 1), at


def bits(data: bytes, width: int, count: int) -> list[int]:
    """Values of a given number of bits, the lowest first; bits that are missing are 0."""
    whole = int.from_bytes(data, "little")
    return [whole >> width * number & (1 << width) - 1 for number in range(count)]


def runs(data: bytes, width: int) -> Iterator[int]:
    """The values of runs of one value or of packed ones, whatever is missing being 0."""
    at = 0
    while at < len(data):
        try:
            head, at = varint(data, at)
        except ValueError:
            return
        count = min(head >> 1, 1 << 40)
        if head & 1:
            for group in range(count):
                place = at + group * width
                yield from bits(data[place : place + width], width, 8)
            at += count * width
        else:
            size = (width + 7) // 8
            value = int.from_bytes(data[at : at + size], "little")
            for _ in range(count):
                yield value
            at += size


def sound_runs(data: bytes, width: int, count: int) -> list[int]:
    """The first *count* values of runs, each of which ends inside of the data."""
    found, at = list[int](), 0
    while len(found) < count:
        head, at = varint(data, at)
        size = (head >> 1) * width if head & 1 else (width + 7) // 8
        check(not head & 1 or head >> 1 <= 8 * (len(data) - at), at + size <= len(data))
        wanted, part = count - len(found), data[at : at + size]
        if head & 1:
            found += bits(part, width, min(8 * (head >> 1), wanted))
        else:
            found += [int.from_bytes(part, "little")] * min(head >> 1, wanted)
        at += size
    return found


def texts(data: bytes, count: int) -> list[bytes]:
    """Texts, each after its length."""
    found, at = [], 0
    for _ in range(count):
        check(at + 4 <= len(data))
        size = int.from_bytes(data[at : at + 4], "little")
        at += 4
        check(size <= len(data) - at)
        found.append(data[at : at + size])
        at += size
    return found


def _values(data: bytes, width: int, count: int) -> list[bytes]:
    if not width:
        return texts(data, count)
    check(count * width <= len(data))
    return [data[at * width : (at + 1) * width] for at in range(count)]


def _present(page: Page) -> tuple[list[bool], bytes]:
    """Which values of a page are there, and the bytes after its levels."""
    size, data = page.levels, page.data
    if page.kind == "data":
        check(len(data) >= 4)
        size, data = int.from_bytes(data[:4], "little"), data[4:]
    check(size <= len(data))
    levels = sound_runs(data[:size], 1, page.count)
    check(max(levels, default=0) <= 1)
    return [each == 1 for each in levels], data[size:]


def column(
    pages: list[Page], width: int, rows: list[int], *, is_nullable: bool
) -> list[bytes | None]:
    """The values of some rows of a column; None for null.

    width  bytes of a number, 0 for text
    """
    found, first = list[bytes | None](), 0
    dictionary: list[bytes] | None = None
    for page in pages:
        if page.kind == "dictionary":
            dictionary = _values(page.data, width, page.count)
            continue
        wanted = [row - first for row in rows if first <= row < first + page.count]
        first += page.count
        if wanted:
            values = _decoded(page, width, dictionary, is_nullable=is_nullable)
            found += [values[row] for row in wanted]
    check(len(found) == len(rows))
    return found


def _decoded(
    page: Page, width: int, dictionary: list[bytes] | None, *, is_nullable: bool
) -> list[bytes | None]:
    present, data = [True] * page.count, page.data
    if is_nullable:
        present, data = _present(page)
    else:
        check(page.kind == "data" or not page.levels)
    held = sum(present)
    if page.is_coded and held:
        check(len(data) > 0 and data[0] <= 32)
        codes = sound_runs(data[1:], data[0], held)
        check(dictionary is not None and max(codes) < len(dictionary))
        values = [(dictionary or [])[each] for each in codes]
    else:
        values = [] if page.is_coded else _values(data, width, held)
    rest = iter(values)
    return [next(rest) if each else None for each in present]


def differences(data: bytes, most: int) -> tuple[list[int], int]:
    """Lengths that are kept as differences, and where they end."""
    block, at = varint(data, 0)
    parts, at = varint(data, at)
    total, at = varint(data, at)
    value, at = zigzag(data, at)
    check(block > 0, parts > 0, total <= most, abs(value) <= 1 << 32)
    check(block % parts == 0)
    found = [value][:total]
    while len(found) < total:
        least, at = zigzag(data, at)
        check(abs(least) <= 1 << 32, at + parts <= len(data))
        widths, at = data[at : at + parts], at + parts
        for width in widths:
            count = min(block // parts, total - len(found))
            if not count:
                break
            size = (block // parts * width + 7) // 8
            check(width <= 32, size <= len(data) - at)
            for step in bits(data[at : at + size], width, count):
                found.append(found[-1] + least + step)
                check(abs(found[-1]) <= 1 << 32)
            at += size
    return found, at
