"""How long we and our peers take, by turns: lines to print, and rows of docs/benchmarks.md.

The page has a heading for each subject, and below it a line that sums its rows up.

A ratio is the peer's time over ours of one turn, so that a machine that is busy for a while slows
both. What is shown is the median of the turns, and in brackets the least and the greatest ratio.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Side", "compared", "enough", "of_package", "seconds", "summarised", "updated"]

ROOT = Path(__file__).parents[2]
TURNS = 5

SAMPLE = 0.1
"""Seconds that a turn of short runs should take: the clock of one run may be off by half of it."""

_PAGE = ROOT / "docs/benchmarks.md"

_HEAD = "| what | times as fast | byteloom | peer |\n|---|---|---|---|\n"

_SUBJECTS = {
    "deletion_vector": "Puffin",
    "puffin": "Puffin",
    "theta": "Puffin",
    "iceberg": "Iceberg",
    "hfile": "HFile and Hudi",
    "hudi": "HFile and Hudi",
    "lance": "Lance",
    "spark": "Spark",
}
"""The headings of the page, by the names of the files of benchmarks; others are of `_OWN`."""

_OWN = "Generated code and the command line"

_LEVEL = 0.95
"""A ratio from which on both sides count as equally fast."""

_NAMED = 6
"""How many of the slower rows a summary names, the slowest first."""


@dataclass(frozen=True)
class Side:
    """One of those who are compared.

    name    with the version
    run     does the work once, and returns the seconds that it took
    amount  of work that it does, in the unit of the benchmark
    """

    name: str
    run: Callable[[], float]
    amount: float = 1


def enough(run: Callable[[], object]) -> int:
    """Return how many times to run something in a turn; it is run twice for that."""
    run()
    return max(1, round(SAMPLE / seconds(run)()))


def seconds(run: Callable[[], object], times: int = 1) -> Callable[[], float]:
    """Return what runs something some times, and returns the mean of the seconds they took."""

    def timed() -> float:
        start = perf_counter()
        for _ in range(times):
            run()
        return (perf_counter() - start) / times

    return timed


def of_package(name: str, package: str, run: Callable[[], float], amount: float = 1) -> Side:
    """Return a peer with the version of its package."""
    return Side(f"{name} {version(package)}", run, amount)


def compared(
    what: str, unit: str, ours: Side, *peers: Side, turns: int = TURNS, warm: bool = True
) -> None:
    """Run all sides by turns, print the result, and keep it for the page.

    what  names the row: the same words replace it
    unit  ``ms``, ``us`` or ``s`` for a time, or what is done in a second: ``M values/s``
    warm  whether each side runs once before it counts
    """
    sides = [ours, *peers]
    if warm:
        for each in sides:
            each.run()
    found = [[each.run() / each.amount for each in sides] for _ in range(turns)]
    columns = list(zip(*found, strict=True))
    mine = _shown(median(columns[0]), unit)
    for peer, times in zip(peers, columns[1:], strict=True):
        ratios = sorted(theirs / own for own, theirs in zip(columns[0], times, strict=True))
        ratio = f"{_number(median(ratios))} ({_number(ratios[0])} to {_number(ratios[-1])})"
        theirs = f"{peer.name}: {_shown(median(times), unit)}"
        print(f"\n{what}: {ratio} times as fast; byteloom {mine}, {theirs}")
        _keep(f"| {what} | {ratio} | {mine} | {theirs} |")


def updated(page: str, row: str, subject: str = "") -> str:
    """Return a page with *row* in the place of the row of the same words and the same peer.

    subject  the heading to add the row under if it is new; a new row without one is left out
    """
    wanted = _key(row)
    lines = [row if _key(line) == wanted else line for line in page.split("\n")]
    page = "\n".join(lines)
    if row in lines or not subject:
        return page
    before, heading, after = page.partition(f"\n## {subject}\n")
    if not heading:
        return f"{page.rstrip()}\n\n## {subject}\n\n{_HEAD}{row}\n"
    rows, following, rest = after.partition("\n## ")
    return f"{before}{heading}{rows.rstrip()}\n{row}\n{following}{rest}"


def summarised(page: str) -> str:
    """Return a page with a line below each heading: how many rows are slower, and which."""
    first, *sections = page.split("\n## ")
    return "\n## ".join([first, *map(_summarised, sections)])


def _summarised(section: str) -> str:
    """Return the section of a page with the line that sums it up."""
    heading = section.partition("\n")[0]
    table = section[section.index(_HEAD) :]
    ratios = [
        (float(cells[1].split()[0]), cells[0], re.split(r",? \d|, Spark ", cells[3])[0])
        for cells in map(_cells, table.split("\n")[2:])
        if cells
    ]
    slower = sorted(each for each in ratios if each[0] < _LEVEL)
    level = f"{len(ratios) - len(slower)} of {len(ratios)}"
    summary = f"At least as fast as the peer in {level} comparisons."
    if slower:
        named = "; ".join(f"{what} ({peer}): {ratio:.2f}" for ratio, what, peer in slower[:_NAMED])
        summary += f" {'Slowest' if len(slower) > _NAMED else 'Slower'}: {named}."
    return f"{heading}\n\n{summary}\n\n{table}"


def _key(row: str) -> tuple[str, str] | None:
    """What a row is about: its words, and its peer without the version."""
    cells = _cells(row)
    return (cells[0], re.split(r" \d[\w.-]*:|:", cells[3])[0]) if cells else None


def _cells(row: str) -> list[str]:
    """Return the four cells of a row; none of a line that is no row."""
    cells = [each.strip() for each in row.strip("|").split("|")]
    return cells if row.startswith("| ") and len(cells) == 4 else []


def _keep(row: str) -> None:
    """Put a row in the place of the one before, if this run is to be shown."""
    if os.environ.get("BYTELOOM_BENCH_PAGE") != "1":
        return
    before = _PAGE.read_text("utf-8")
    file = Path(os.environ["PYTEST_CURRENT_TEST"].partition("::")[0]).stem.removeprefix("bench_")
    subject = next((_SUBJECTS[each] for each in _SUBJECTS if file.startswith(each)), _OWN)
    page = summarised(updated(before, row, subject))
    if page != before:
        _PAGE.write_text(page, "utf-8")


def _shown(took: float, unit: str) -> str:
    """A time, or a rate, as people read it."""
    scale = {"ms": 1e3, "us": 1e6, "s": 1}.get(unit)
    return f"{_number(took * scale if scale else 1 / took)} {unit.replace('us', 'µs')}"


def _number(value: float) -> str:
    """Three digits, or whole."""
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"
