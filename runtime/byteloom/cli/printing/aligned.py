"""Print rows as aligned columns, as wide as the terminal or COLUMNS allows; on a pipe uncut.

- Cells that do not fit are cut, in the widest columns first, to no less than eight characters; then
  columns are left out from the right.  ``…`` marks both, and stderr reports it.
- Columns of up to a thousand rows are made equally wide; they never become narrower.
"""

from __future__ import annotations

import os
import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import typer

from byteloom.verification.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["LINES", "Part", "fitted", "show_facts", "show_table"]

Part: TypeAlias = "list[list[Any]]"
"""Columns of some rows, of values as JSON has them."""

LINES: Final = 1_000
"""Rows whose columns are made equally wide."""

_APART: Final = "  "
_CUT: Final = "…"
_LEAST: Final = 8
"""The least width of a column before columns are left out."""


def show_table(parts: Iterable[Part], names: list[str], out: Any) -> None:
    """Print texts in columns under their names."""
    limit, is_cut = _limit(out), False
    widths, head = [len(name) for name in names], True
    for columns in _gathered(parts):
        widths = [
            max(width, *map(len, column)) for width, column in zip(widths, columns, strict=True)
        ]
        room = fitted(widths, limit)
        is_cut |= room != widths
        lines = zip(*columns, strict=True)
        for line in [tuple(names), *lines] if head else lines:
            out.write(_line(line, room))
        head = False
    if head:
        room = fitted(widths, limit)
        is_cut |= room != widths
        out.write(_line(names, room))
    if is_cut:
        out.flush()
        typer.echo(
            f"byteloom: cut to {counted(limit or 0, 'character')}; --format csv or json is whole",
            err=True,
        )


def show_facts(facts: Mapping[str, Sequence[str]]) -> None:
    """Print facts beside their names: a fact is one line, or several below each other."""
    names = [name.replace("_", " ") for name in facts]
    width = max(map(len, names))
    for name, lines in zip(names, facts.values(), strict=True):
        for number, line in enumerate(lines):
            typer.echo(f"{'' if number else name:<{width}}{_APART}{line}".rstrip())


def fitted(widths: list[int], limit: int | None) -> list[int]:
    """Return the widths of columns for lines of at most *limit* characters.

    widths  of their texts
    limit   None for any
    return  fewer widths where columns on the right are left out; the sign ``…`` needs room too
    """
    if limit is None:
        return widths
    shown = len(widths)
    while shown > 1 and _least(widths[:shown], shown < len(widths)) > limit:
        shown -= 1
    room, sign = list(widths[:shown]), (len(_APART) + 1) * (shown < len(widths))
    left = limit - sign - len(_APART) * (shown - 1)
    while sum(room) > left:
        widest = max(room)
        others = [width for width in room if width < widest]
        count = len(room) - len(others)
        over = -(-(sum(room) - left) // count)
        floor = max(others, default=1)
        least = max(widest - over, floor, 1)
        room = [least if width == widest else width for width in room]
        if least == widest:
            break
    return room


def _least(widths: list[int], is_short: bool) -> int:  # noqa: FBT001  of one caller
    """Return the width of a line whose columns are all cut to the least width."""
    kept = sum(min(width, _LEAST) for width in widths)
    return kept + len(_APART) * (len(widths) - 1 + is_short) + is_short


def _limit(out: Any) -> int | None:
    """Return the width of a line; None for no limit."""
    if out is sys.stdout and (out.isatty() or os.environ.get("COLUMNS")):
        return get_terminal_size().columns
    return None


def _line(texts: Sequence[str], room: list[int]) -> str:
    kept = [
        (text if len(text) <= width else text[: width - 1] + _CUT).ljust(width)
        for text, width in zip(texts, room, strict=False)
    ]
    more = [_CUT] if len(room) < len(texts) else []
    return _APART.join([*kept, *more]).rstrip() + "\n"


def _gathered(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield small parts together: files of a few rows each make one table."""
    gathered: Part = []
    for columns in parts:
        gathered = (
            [[*old, *new] for old, new in zip(gathered, columns, strict=True)]
            if gathered
            else columns
        )
        if gathered and len(gathered[0]) >= LINES:
            yield gathered
            gathered = []
    if gathered and gathered[0]:
        yield gathered
