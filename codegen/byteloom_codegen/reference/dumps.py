"""An example byte by byte: each line has an offset, bytes, and the field that they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from byteloom_codegen.reference.examples import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom_codegen.reference.examples import Example, Part

__all__ = ["Dump", "dump_of", "given"]

_WIDTH: Final = 16
"""Bytes in a line."""

_LONG: Final = 4
"""A field with this many lines or more is abridged, in a sample, to its first two."""

_SHORT: Final = 60
"""Lines of an example that is shown beside its type."""

_MOST: Final = 400
"""Lines that are shown of a sample."""

Line: TypeAlias = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """An example.

    origin     where it is from
    read_with  the parameters that it is read with
    lines      of offset, bytes, letters and the field that they belong to
    """

    name: str
    origin: str
    read_with: str
    lines: list[Line]

    @property
    def is_long(self) -> bool:
        """Whether it is at the end of its page, so that no type is hidden after it."""
        return len(self.lines) > _SHORT


def dump_of(example: Example, parts: Sequence[Part]) -> Dump:
    """Return *example* divided as *parts* says; a sample, which may be any file, abridged."""
    is_sample = example.outcome == SAMPLE
    found = _lines(example.raw, parts, abridged=is_sample)
    lines = list(islice(found, _MOST)) if is_sample else list(found)
    more = sum(1 for _ in found)
    if more:
        lines.append(("", f"... {more:,} more lines", "", ""))
    return Dump(name=example.name, origin=example.origin, read_with=given(example), lines=lines)


def given(example: Example) -> str:
    """Return the parameters that *example* is read with."""
    return ", ".join(f"{name} = {_shown(value)}" for name, value in example.params.items())


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _lines(raw: bytes, parts: Sequence[Part], *, abridged: bool) -> Iterator[Line]:
    for part in parts:
        labels = iter(part.labels)
        size = part.end - part.start
        end = part.end if not abridged or size <= _LONG * _WIDTH else part.start + 2 * _WIDTH
        for start in range(part.start, end, _WIDTH):
            row = raw[start : min(start + _WIDTH, end)]
            letters = "".join(chr(each) if 0x20 <= each < 0x7F else "." for each in row)  # noqa: PLR2004
            yield f"{start:04x}", row.hex(" "), letters, next(labels, "")
        if end < part.end:
            yield "", f"... {part.end - end:,} more bytes", "", next(labels, "")
        yield from (("", "", "", label) for label in labels)
