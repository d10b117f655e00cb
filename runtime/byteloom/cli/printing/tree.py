"""A report as text: the file's format, its facts, and the tree of its fields.

A table by rich takes milliseconds for each row, and a report has thousands.  So rich is used only
for lines that have to be folded, or have special characters; all others are put together here, and
printed many at a time.
"""

from __future__ import annotations

import os
import re
import sys
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment, Segments
from rich.text import Text

from byteloom.cli.printing.streams import is_plain
from byteloom.cli.printing.value_text import bytes_of, cell, shown, terms_of
from byteloom.errors import in_a_line
from byteloom.late import rich_table
from byteloom.redaction import redacted
from byteloom.wire import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.cli.printing.report import Report

__all__ = [
    "APART",
    "Line",
    "Pair",
    "console",
    "cut",
    "folded",
    "padded",
    "print_lines",
    "print_report",
    "styled",
]

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
    line = text if text.isprintable() else Text(text).plain.replace("\n", " ")
    return line if cell_len(line) <= width else set_cell_size(line, max(width - 1, 0)) + "…"


def _grid(pairs: Sequence[Pair], out: Console) -> list[Line]:
    """Return *pairs* as lines, formatted by rich."""
    table = rich_table.Table(
        box=None, show_header=False, padding=(0, len(APART), 0, 0), pad_edge=False
    )
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, parts in pairs:
        table.add_row(label, Text.assemble(*parts))
    return out.render_lines(table, pad=False)


def _stripped(line: Line) -> Line:
    kept = list(line)
    while kept and not kept[-1].text.rstrip():
        kept.pop()
    if kept:
        last = kept.pop()
        kept.append(Segment(last.text.rstrip(), last.style))
    return kept


_UNBOUNDED: Final = 100_000
"""Columns of a pipe, whose readers do not want folded lines."""

_SIBLINGS: Final = 8
"""Elements of one repeated field that are shown before the rest is counted."""

_INDEX: Final = re.compile(r"\[\d+\]")
"""The number of an element; the rest of a name says which field it is of."""

_LEAST: Final = 8
"""Characters of a value, and of a name, that narrow screens leave."""


class _Console(Console):
    """A console that treats a closed pipe as every other command does."""

    def on_broken_pipe(self) -> None:
        """Raise the error, instead of ending the program as rich does."""
        raise  # noqa: PLE0704  called where the error is being handled


def console(*, stderr: bool = False) -> Console:
    """Return a console that folds lines on a terminal, and elsewhere only where COLUMNS says so."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else _UNBOUNDED
    return _Console(
        file=stream,
        width=width,
        highlight=False,
        emoji=False,
        markup=False,
        color_system=None if is_plain() else "auto",
    )


def print_report(report: Report, out: Console, *, depth: int, full: bool) -> None:
    """Print all of *report* but its error.

    depth  levels of structure
    full   all fields of a record, however many
    """
    source = report.source
    out.print(
        Text(in_a_line(redacted(source.name)), "bold"),
        Text(f"{report.title}, {bytes_of(source.size)}"),
        sep="  ",
    )
    facts = report.facts | {f"property {key}": value for key, value in report.properties.items()}
    print_lines(folded([(f"  {key}", [(cell(facts[key]), "")]) for key in facts], out), out)
    for name, rows in report.tables.items():
        if rows:
            out.print()
            out.print(Text(f"{name} ({len(rows):,})", "bold"))
            laid = (folded(_row(*each, out.width), out) for each in enumerate(rows))
            print_lines(chain.from_iterable(laid), out)
    _print_parts(report, out)
    siblings = sys.maxsize if full else _SIBLINGS
    _print_tree("structure", list(_walk(report.root, depth, siblings)), out)
    for part in report.decoded:
        title = f"{part.name} decoded, {bytes_of(part.root.size)}"
        _print_tree(title, list(_walk(part.root, depth - 1, siblings)), out)
    if report.unchecked is not None and report.error is None:
        out.print()
        out.print(Text(f"not checked: {report.unchecked}"))


def _print_parts(report: Report, out: Console) -> None:
    """Print what share of the file each kind of its parts takes, if it has more than one."""
    rows = [("parts", "count", "size", "percent")]
    rows += [
        (each["name"], f"{each['count']:,}", str(each["size"]), f"{each['percent']:.2f}")
        for each in report.parts
    ]
    if not rows[1:]:
        return
    name, *widths = (max(map(cell_len, column)) for column in zip(*rows, strict=True))
    out.print()
    for row in rows:
        numbers = (f"{text:>{width}}" for text, width in zip(row[1:], widths, strict=True))
        first = row[0] + " " * (name - cell_len(row[0]))
        style = "bold" if row is rows[0] else ""
        out.print(Text.assemble((first, style), APART, (APART.join(numbers), "dim")))


def _print_tree(title: str, lines: list[tuple[str, Node]], out: Console) -> None:
    if not lines:
        return
    places = [(str(node.start), _size(node)) if node.placed else ("", "") for _, node in lines]
    names = max(len(title), *(len(guide) + cell_len(node.name) for guide, node in lines))
    offsets = max(len("offset"), *(len(offset) for offset, _ in places))
    sizes = max(len("size"), *(len(size) for _, size in places))
    room = out.width - offsets - sizes - 3 * len(APART)
    names = min(names, max(room - _LEAST, _LEAST))
    left = max(room - names, 1)

    def line(name: list[tuple[str, str]], offset: str, size: str, value: str) -> Line:
        *guides, (text, style) = name
        kept = names - sum(cell_len(guide) for guide, _ in guides)
        name = [*guides, (cut(text, max(kept, 1)), style)]
        blanks = " " * (names - sum(cell_len(text) for text, _ in name))
        place = f"{blanks}{APART}{offset:>{offsets}}{APART}{size:>{sizes}}{APART}"
        return styled([*name, (place, "dim"), (cut(value, left), "")], out)

    print_lines(
        [
            [Segment.line()],
            line([(title, "bold")], "offset", "size", ""),
            *(
                line(
                    [(guide, "dim"), (node.name, "cyan" if node.children else "")],
                    *place,
                    _value(node),
                )
                for (guide, node), place in zip(lines, places, strict=True)
            ),
        ],
        out,
    )


def _walk(node: Node, depth: int, siblings: int, indent: str = "") -> Iterator[tuple[str, Node]]:
    """Yield the nodes below *node*, *depth* levels of them, with the guide lines before each."""
    if depth <= 0:
        return
    children = _folded(node.children, siblings)
    for child in children:
        last = child is children[-1]
        yield f"{indent}{'└─ ' if last else '├─ '}", child
        yield from _walk(child, depth - 1, siblings, f"{indent}{'   ' if last else '│  '}")


def _folded(nodes: list[Node], most: int) -> list[Node]:
    """Return *nodes*; of a long run of elements of the same field only the first and a count."""
    kept: list[Node] = []
    for _, group in groupby(nodes, lambda node: _INDEX.sub("", node.name)):
        run = list(group)
        cut = len(run) if len(run) <= most else most - 1
        kept += run[:cut]
        if cut < len(run):
            more = sum(node.more or 1 for node in run[cut:])
            kept.append(
                Node(name=f"{run[cut].name}…", start=run[cut].start, end=run[-1].end, more=more)
            )
    return kept


def _size(node: Node) -> str:
    if node.bits is None:
        return str(node.size)
    width = node.bits[1]
    return "1 bit" if width == 1 else f"{width} bits"


def _value(node: Node) -> str:
    if node.error is not None:
        return f"error: {node.error}"
    if node.more:
        return f"… {node.more:,} more"
    return "" if node.value is None else shown(node.value)


def _row(number: int, row: dict[str, Any], width: int) -> list[Pair]:
    """One of many similar items: a line of its plain values, a line for each value with parts."""
    plain = {key: value for key, value in row.items() if not isinstance(value, dict)}
    first = next(iter(plain), "")  # the type of a blob: a line of its own
    label = f"  #{number}"
    width -= len(label) + len(APART)
    rest = [f"{key} {cell(plain[key])}" for key in plain if key != first]
    pairs: list[Pair] = [(label, [(cell(plain.get(first)), "cyan")])]
    pairs += [("", [(line, "")]) for line in _lines(rest, width)]
    for key, value in row.items():
        if isinstance(value, dict) and value:
            first_line, *more = _lines(terms_of(value), width - len(key) - 2)
            pairs.append(("", [(f"{key}: ", "dim"), (first_line, "")]))
            pairs += [("", [(line, "")]) for line in more]
    return pairs


def _lines(terms: list[str], width: int) -> list[str]:
    """Lay *terms* out in lines that break between two of them, not inside one."""
    lines: list[str] = []
    for term in terms:
        if lines and len(lines[-1]) + len(term) + 3 <= width:
            lines[-1] += f", {term}"
        else:
            lines[-1:] = [f"{lines[-1]},", term] if lines else [term]
    return lines
