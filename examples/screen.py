"""What a demo shows: steps with their times, commands with what they print, comparisons."""

from __future__ import annotations

import reprlib
import shlex
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["code", "grid", "out", "same", "show", "step"]

out: Final = Console(highlight=False)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Put what the block prints under a title, and say how long it took."""
    out.rule(f"[bold]{title}", align="left")
    began = time.perf_counter()
    yield
    out.print(f"[dim]{time.perf_counter() - began:.2f} s\n")


def same(claim: str, found: object, expected: object) -> None:
    """Print a claim with a tick; where the two differ, print both and exit with status 1."""
    if found != expected:
        words = f"found {reprlib.repr(found)}, wanted {reprlib.repr(expected)}"
        sys.exit(f"demo: this is not so: {claim}: {words}")
    out.print(f"[green]✓[/] {escape(claim)}")


def grid(rows: Sequence[Sequence[str]], *names: str, words: int) -> Table:
    """Return a table to print; its first columns are *words*, those after them numbers."""
    table = Table(*names, padding=0)
    for number, column in enumerate(table.columns):
        column.no_wrap = True
        column.justify = "left" if number < words else "right"
    for each in rows:
        table.add_row(*each)
    return table


def code(text: str) -> None:
    """Print the lines of Python that the next step runs."""
    for line in text.strip().splitlines():
        out.print(f"[dim]{escape(line)}", soft_wrap=True)


def show(*arguments: object) -> None:
    """Run ``byteloom`` as a user would; a failure ends the demo with its status."""
    command = [sys.executable, "-c", "from byteloom.cli import app; app()", *map(str, arguments)]
    out.print(f"[dim]{_folded(['byteloom', *map(str, arguments)])}")
    sys.stdout.flush()  # so that the command's output follows its line
    status = subprocess.run(command, check=False).returncode  # noqa: S603  our own
    if status:
        sys.exit(status)


def _folded(words: list[str]) -> str:
    """A command as a shell takes it, with a backslash where it goes on in the next line."""
    lines = ["$"]
    for word in map(shlex.quote, words):
        if len(lines[-1]) + len(word) + 3 > out.width:  # a blank and a backslash
            lines.append("   ")
        lines[-1] += f" {word}"
    return " \\\n".join(lines)
