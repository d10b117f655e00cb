"""Lines of styled parts, laid out here and printed many at a time.

A table by rich takes milliseconds for each row, and a report has thousands.  So rich is used only
for lines that have to be folded, or have special characters; all others are put together here.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment, Segments

from byteloom.errors import in_a_line
from byteloom.late import rich_table, rich_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

__all__ = ["APART", "Line", "Pair", "cut", "folded", "padded", "print_lines", "styled"]

APART: Final = "  "
"""The space between columns."""

Part: TypeAlias = tuple[str, str]
"""Text, and its style in rich's words."""

Pair: TypeAlias = tuple[str, list[Part]]
"""A label, and the parts of its text."""

Line: TypeAlias = list[Segment]


def print_lines(lines: Iterable[Line], out: Console) -> None:
    """Print *lines* without the blanks at their ends, each cut where the console ends."""
    fitting = (Segment.adjust_line_length(line, out.width, pad=False) for line in lines)
    ended = ([*_stripped(line), Segment.line()] for line in fitting)
    out.print(Segments(chain.from_iterable(ended)), end="", crop=False)


def styled(parts: Sequence[Part], out: Console) -> Line:
    """Return the line of *parts*."""
    return [Segment(text, out.get_style(style) if style else None) for text, style in parts]


def folded(pairs: Sequence[Pair], out: Console) -> list[Line]:
    """Return lines of labels, as wide as the longest, each with its text, folded to fit.

    Control characters, which a file may contain, are escaped: a terminal would obey them.
    """
    width = max((cell_len(label) for label, _ in pairs), default=0)
    room = out.width - width - len(APART)
    texts = ["".join(text for text, _ in parts) for _, parts in pairs]
    is_printable = all(text.isprintable() for text in [*texts, *(label for label, _ in pairs)])
    if not is_printable or any(cell_len(text) > room for text in texts):
        harmless = [
            (in_a_line(label), [(in_a_line(text), style) for text, style in parts])
            for label, parts in pairs
        ]
        return _grid(harmless, out)
    return [styled([(padded(label, width) + APART, "dim"), *parts], out) for label, parts in pairs]


def padded(text: str, width: int) -> str:
    """Return *text* with blanks after it, *width* cells in all."""
    return text + " " * (width - cell_len(text))


def cut(text: str, width: int) -> str:
    """Return *text* on one line of *width* cells at most; ``…`` stands for what was left out."""
    line = text if text.isprintable() else rich_text.Text(text).plain.replace("\n", " ")
    return line if cell_len(line) <= width else set_cell_size(line, max(width - 1, 0)) + "…"


def _grid(pairs: Sequence[Pair], out: Console) -> list[Line]:
    """Return *pairs* as lines, formatted by rich."""
    table = rich_table.Table(
        box=None, show_header=False, padding=(0, len(APART), 0, 0), pad_edge=False
    )
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, parts in pairs:
        table.add_row(label, rich_text.Text.assemble(*parts))
    return out.render_lines(table, pad=False)


def _stripped(line: Line) -> Line:
    kept = list(line)
    while kept and not kept[-1].text.rstrip():
        kept.pop()
    if kept:
        last = kept.pop()
        kept.append(Segment(last.text.rstrip(), last.style))
    return kept
