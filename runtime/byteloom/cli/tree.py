"""A report as text: what it is, what it holds, and the tree of its fields."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from byteloom.cli.values import bytes_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.cli.report import Report
    from byteloom.wire import Node

__all__ = ["console", "print_report"]

_UNBOUNDED: Final = 100_000
"""Columns of a pipe: whoever reads it does not want lines folded."""

_NUMBERS: Final = (int, float)

_LARGE: Final = 1_000
"""From here on a person cares for one decimal, and for the thousands."""


def console(*, stderr: bool = False) -> Console:
    """Return a console that folds lines on a terminal and nowhere else."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _UNBOUNDED
    return Console(file=stream, width=width, highlight=False, emoji=False, markup=False)


def print_report(report: Report, out: Console) -> None:
    """Print all of *report* but its error."""
    source = report.source
    out.print(Text(source.name, "bold"), Text(f"{report.title}, {bytes_of(source.size)}"), sep="  ")
    facts = report.facts | {f"property {key}": value for key, value in report.properties.items()}
    if facts:
        out.print(_facts(facts))
    for name, rows in report.tables.items():
        if rows:
            out.print()
            out.print(Text(f"{name} ({len(rows):,})", "bold"))
            out.print(_rows(rows))
    _print_tree("structure", report.root, out)
    for part in report.decoded:
        _print_tree(f"{part.name} decoded, {bytes_of(part.root.size)}", part.root, out)


def _print_tree(title: str, root: Node, out: Console) -> None:
    if not root.children:
        return
    out.print()
    table = _grid()
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_column(overflow="ellipsis", no_wrap=True)
    table.add_row(Text(title, "bold"), "offset", "size", "")
    for guide, node in _walk(root):
        name = Text.assemble((guide, "dim"), (node.name, "cyan" if node.children else ""))
        table.add_row(name, str(node.start), _size(node), _value(node))
    out.print(table)


def _walk(node: Node, indent: str = "") -> Iterator[tuple[str, Node]]:
    for child in node.children:
        last = child is node.children[-1]
        yield f"{indent}{'└─ ' if last else '├─ '}", child
        yield from _walk(child, f"{indent}{'   ' if last else '│  '}")


def _size(node: Node) -> str:
    if node.bits is None:
        return str(node.size)
    width = node.bits[1]
    return "1 bit" if width == 1 else f"{width} bits"


def _value(node: Node) -> str:
    if node.more:
        return f"… {node.more:,} more"
    return "" if node.value is None else shown(node.value)


def _facts(facts: dict[str, Any]) -> Table:
    table = _grid()
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in facts.items():
        table.add_row(f"  {key}", _cell(value))
    return table


def _rows(rows: list[dict[str, Any]]) -> Table:
    keys = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
    table.add_column("#", justify="right")
    for key in keys:
        numbers = all(isinstance(row.get(key), _NUMBERS) for row in rows if key in row)
        table.add_column(key, justify="right" if numbers else "left", overflow="fold")
    for number, row in enumerate(rows):
        table.add_row(str(number), *(_cell(row.get(key)) for key in keys))
    return table


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_cell(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_cell(inner) for inner in value)
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= _LARGE else f"{value:.6g}"
    return "" if value is None else str(value)


def _grid() -> Table:
    return Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
