"""What the tests of a room say of a fault that is in the copy, in an order that ends soon."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

from tests.mutants import runs
from tests.mutants.forks import ENDED
from tests.mutants.measured import Measured
from tests.mutants.waiting import UNPATCHED, Waiting

if TYPE_CHECKING:
    from pathlib import Path

    from tests.mutants.forks import Forks
    from tests.mutants.waiting import Change

__all__ = ["SECONDS", "TIME", "Trying"]

SECONDS: Final = 180
"""Seconds after which tests hang that take no time to speak of."""

TIME: Final = "the time limit"
"""What `Trying.failing` returns for tests that do not end."""

_TIMES: Final = 10
"""How many times longer than without a fault tests may take."""

_QUICK: Final = 10
"""Seconds for which tests are tried to be quick."""

_FEW: Final = 3
"""Files whose tests come first: to import a file costs more than many of its tests."""


class Trying:
    """Tests of the copy, and what is known of them."""

    def __init__(self, forks: Forks, folder: Path, *, quick: bool) -> None:
        """Run them in *forks*; what is known is in *folder*.

        quick  only those are tried that run a changed line, for a few seconds
        """
        self._forks, self._measured, self._quick = forks, Measured(folder, forks), quick
        self._waiting: Waiting | None = None

    def prepare(self, tests: list[str], code: str) -> None:
        """Run and collect tests without a fault, as far as that was not done yet.

        code  the file that a fault will be in
        """
        self._measured.prepare(tests, code)
        files = self._measured.files(tests)
        if self._waiting is None or self._waiting.files != files:
            self.end()
            self._waiting = Waiting(self._forks, files)

    def failing(
        self, tests: list[str], lines: dict[str, set[int]], change: Change | None
    ) -> str | None:
        """Return the first test that fails, None for none.

        tests   folders and files
        lines   of each file that the fault changes
        change  the fault, if it is one in a module of Python
        """
        found: str | None = UNPATCHED
        if change is not None and not self._measured.at_import(tests, lines):
            found = self._in_place(tests, lines, change)
        return self._anew(tests, lines) if found == UNPATCHED else found

    def end(self) -> None:
        """End the process in which tests wait."""
        if self._waiting is not None:
            self._waiting.end()
        self._waiting = None

    def _in_place(self, tests: list[str], lines: dict[str, set[int]], change: Change) -> str | None:
        """Try what runs a line, then all others, where they are collected already."""
        if self._waiting is None:
            return UNPATCHED
        files = self._measured.files(tests)
        order = self._within(self._measured.in_order(self._measured.running(tests, lines)))
        for part in (order, self._others(files, order)):
            seconds = SECONDS / 10 + _TIMES * self._measured.seconds(part)
            failed = self._waiting.attempt(change, part, seconds)
            if failed is not None:
                return failed
        return None

    def _anew(self, tests: list[str], lines: dict[str, set[int]]) -> str | None:
        """Try tests in processes that import what is changed."""
        for batch in self._batches(tests, lines):
            seconds = SECONDS + _TIMES * self._measured.seconds(batch)
            try:
                failed: str | None = self._forks.run(runs.attempt, batch, seconds=seconds)
            except TimeoutError:
                return TIME
            if failed is not None:
                return failed if failed != ENDED else f"{ENDED} in {batch[0].partition('::')[0]}"
        return None

    def _batches(self, tests: list[str], lines: dict[str, set[int]]) -> list[list[str]]:
        """Return the tests to try, in parts: what comes first is likely to notice a fault soon."""
        running = self._measured.running(tests, lines)
        order = list(running)
        parts = [order[:_FEW], order[_FEW:]]
        batches = [self._within([t for file in part for t in running[file]]) for part in parts]
        others = self._others(self._measured.files(tests), [*chain.from_iterable(batches)])
        return [each for each in (*batches, others) if each]

    def _within(self, tests: list[str]) -> list[str]:
        """Return those tests that are tried first; to be quick, what takes too long is left out."""
        total = list(accumulate(self._measured.seconds([test]) for test in tests))
        return tests if not self._quick else tests[: max(bisect_right(total, _QUICK), 1)]

    def _others(self, files: list[str], tried: list[str]) -> list[str]:
        """Return all tests of some files without those that are tried first; none to be quick."""
        known = chain.from_iterable(map(self._measured.sound, [] if self._quick else files))
        return sorted(set(known) - set(tried))
