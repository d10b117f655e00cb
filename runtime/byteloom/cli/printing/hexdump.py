"""A dump in which every byte has the name of its field.

The rules it obeys:

- Each byte is in the dump once, in file order.  Bytes that belong to no field are ``(gap)``.
- Fields that share bytes, as bits do, share their rows: one name below the other.
- Long parts are abridged, with the number of bytes left out, unless all of them are asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom.cli.printing.value_text import printable, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.wire import Node

__all__ = ["Segment", "dump", "segments"]

WIDTH: Final = 16
"""Bytes in a row."""

LONG: Final = 4
"""A part of this many rows or more is abridged to its first two."""

_CHUNK: Final = 1 << 20
"""Bytes fetched at a time; a multiple of the width."""


@dataclass(slots=True)
class Segment:
    """Bytes that belong to the same fields: from *start* up to *end*."""

    start: int
    end: int
    labels: list[str] = field(default_factory=list)
    bits: bool = False


def segments(root: Node) -> list[Segment]:
    """Divide all bytes of *root* among its fields; no byte is left out, none comes twice."""
    parts: list[Segment] = []
    at = root.start
    for path, node in sorted(root.leaves(), key=lambda leaf: leaf[1].start):
        if node is root or node.start > root.end:  # a record of no bytes may come after the end
            continue
        label = _label(path, node)
        if node.start > at:
            parts.append(Segment(at, node.start, ["(gap)"]))
            at = node.start
        if node.start == at:
            parts.append(Segment(at, node.end, [label], bits=node.bits is not None))
        elif node.end <= at:
            _segment_at(parts, node.start).labels.append(label)
        elif node.bits and parts[-1].bits:
            parts[-1].labels.append(label)
            parts[-1].end = node.end
        else:
            parts.append(Segment(at, node.end, [f"{label}, from 0x{node.start:x} on"]))
        at = max(at, node.end)
    if at < root.end:
        parts.append(Segment(at, root.end, ["(gap)"]))
    return parts


def dump(
    root: Node, read: Callable[[int, int], bytes], *, full: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Yield rows of offset, bytes as hex and text, and names; *read* fetches (offset, size)."""
    digits = max(8, len(f"{root.end:x}"))
    for part in segments(root):
        labels = iter(part.labels)
        size = part.end - part.start
        cut = size if full or size <= LONG * WIDTH else 2 * WIDTH
        for at, row in _rows(part.start, part.start + cut, read):
            yield f"{at:0{digits}x}", _bytes(row), next(labels, "")
        if cut < size:
            yield "…".rjust(digits), f"{size - cut:,} more bytes", next(labels, "")
        for label in labels:
            yield f"{part.start:0{digits}x}" if not size else " " * digits, _bytes(b""), label


def _label(path: str, node: Node) -> str:
    name = path
    if node.bits is not None:
        first, width = node.bits
        name += f" (bit {first})" if width == 1 else f" (bits {first}..{first + width - 1})"
    if node.more:
        return f"{name} {node.more:,} more"
    if isinstance(node.value, bytes):  # the bytes themselves are beside the name
        return name if node.size <= LONG * WIDTH else f"{name}, {node.size:,} bytes"
    return name if node.value is None else f"{name} = {shown(node.value)}"


def _segment_at(parts: list[Segment], at: int) -> Segment:
    return parts[bisect_right(parts, at, key=lambda part: part.start) - 1]


def _rows(start: int, end: int, read: Callable[[int, int], bytes]) -> Iterator[tuple[int, bytes]]:
    for chunk in range(start, end, _CHUNK):
        data = read(chunk, min(_CHUNK, end - chunk))
        for at in range(0, len(data), WIDTH):
            yield chunk + at, data[at : at + WIDTH]


def _bytes(row: bytes) -> str:
    left, right = row[: WIDTH // 2].hex(" "), row[WIDTH // 2 :].hex(" ")
    text = f"|{printable(row)}|" if row else ""
    return f"{left:<23}  {right:<23}  {text:<18}"
