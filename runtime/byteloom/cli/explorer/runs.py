"""The folded runs of a page's trees, and the fields in them, some hundred at a time.

A run is not kept in memory: a request for a part of it reads the file once more, by the same rules,
with a window where the part is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from byteloom.cli.explorer.document import Shapes, document_of
from byteloom.cli.explorer.page import MOST_SHOWN
from byteloom.cli.printing.secrets import prepare
from byteloom.wire.nodes import Folding, Window

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.cli.explorer.excerpts import Excerpts
    from byteloom.cli.printing.report import Report
    from byteloom.wire import Node

__all__ = ["Runs"]


class _Run(NamedTuple):
    """A folded run.

    windows  the windows that it is in, the outermost first: none for a run of the page itself
    number   its number among the runs of a read with these windows
    """

    windows: tuple[Window, ...]
    number: int


class Runs:
    """The folded runs of one page, by the numbers that the page knows them by."""

    def __init__(self, explain: Callable[[Folding], Report], excerpts: Excerpts) -> None:
        """Read by *explain*, whose trees fold as it is asked."""
        self._explain, self._excerpts = explain, excerpts
        self._numbers: dict[_Run, int] = {}
        self._runs: list[tuple[_Run, int]] = []  # each with what it folds

    def document(self, report: Report, folding: Folding) -> dict[str, Any]:
        """Return what the page shows of *report*, whose trees were folded by *folding*."""
        return document_of(report, self._excerpts, self._numbering((), folding))

    def fields(self, number: int, skip: int) -> dict[str, Any] | None:
        """Return the fields of run *number* after the first *skip*, and the lines of their specs.

        None  where there is no such run, or the file does not have it any more
        """
        if number >= len(self._runs) or skip >= self._runs[number][1]:
            return None
        run, size = self._runs[number]
        count = min(size - skip, MOST_SHOWN)
        windows = (*run.windows, Window(run.number, skip, count))
        folding = Folding(windows=windows)
        prepare(self._explain(folding))
        if folding.shown is None or len(folding.shown[1]) < count:
            return None
        above, nodes = folding.shown
        shapes = Shapes(self._excerpts, self._numbering(windows, folding))
        return {"nodes": [shapes.of(each, above.record) for each in nodes], "lines": shapes.lines}

    def _numbering(
        self, windows: tuple[Window, ...], folding: Folding
    ) -> Callable[[Node], int | None]:
        """Return the function that numbers the nodes of folded runs; None for other nodes."""
        places = {id(node): at for at, node in enumerate(folding.runs)}

        def number(node: Node) -> int | None:
            if id(node) not in places:
                return None
            run = _Run(windows, places[id(node)])
            if run not in self._numbers:
                self._numbers[run] = len(self._runs)
                self._runs.append((run, node.more))
            return self._numbers[run]

        return number
