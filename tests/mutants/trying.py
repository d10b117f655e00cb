"""Run the tests of a room on a copy with a fault, the nearest tests first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.mutants import runs
from tests.mutants.forks import ENDED
from tests.mutants.waiting import UNPATCHED, Waiting

if TYPE_CHECKING:
    from tests.mutants.forks import Forks
    from tests.mutants.waiting import Change

__all__ = ["TIME", "Trying"]

TIME: Final = "the time limit"
"""What `Trying.failing` returns for tests that do not end."""

_SECONDS: Final = 7_200
"""Seconds after which tests hang."""

_FEW: Final = 3
"""Files whose tests come first where they are imported: that costs more than many of them."""

_NEAR: Final = 5
"""Files that are tried to be quick."""

_KEPT: Final = 2
"""Rooms whose tests wait, at most."""


class Trying:
    """Tests of the copy, and what is known of them."""

    def __init__(self, forks: Forks, *, quick: bool) -> None:
        """Run them in *forks*.

        quick  only those of a few files are tried
        """
        self._forks, self._quick = forks, quick
        self._waiting: dict[frozenset[str], Waiting] = {}
        self._sound, self._broken = set[str](), set[str]()

    def prepare(self, files: list[str]) -> None:
        """Collect the tests of files without a fault, if that was not done yet."""
        room = frozenset(files)
        if room not in self._waiting:
            while len(self._waiting) >= _KEPT:
                self._waiting.pop(next(iter(self._waiting))).end()
            self._waiting[room] = Waiting(self._forks, sorted(files))
            self._waiting[room].load()

    def failing(self, files: list[str], change: Change | None) -> str | None:
        """Return the first test that fails, None for none.

        files   of tests, all of a room, the nearest ones first
        change  the fault, if it is one in a module of Python
        """
        near = files[:_NEAR] if self._quick else files
        if change is not None:
            found = self._waiting[frozenset(files)].attempt(change, near, self._broken)
            if found is None:
                near = near[:_FEW]  # an import may run what is changed
            elif found != UNPATCHED:
                return found
        return self._anew([near[:_FEW], near[_FEW : 2 * _FEW], near[2 * _FEW :]])

    def is_sound(self, files: list[str], test: str) -> bool:
        """Whether a test passes without a fault; one that does not never counts again."""
        if test not in self._sound | self._broken and "::" in test:
            passes = self._waiting[frozenset(files)].passes(test)
            (self._sound if passes else self._broken).add(test)
        return test not in self._broken

    def end(self) -> None:
        """End the processes in which tests wait."""
        for each in self._waiting.values():
            each.end()
        self._waiting.clear()

    def _anew(self, parts: list[list[str]]) -> str | None:
        """Try tests in processes that import what is changed."""
        for part in filter(None, parts):
            try:
                failed = self._forks.run(runs.attempt, part, self._broken, seconds=_SECONDS)
            except TimeoutError:
                return TIME
            if failed is not None:
                return str(failed) if failed != ENDED else f"{ENDED} in {part[0]}"
        return None
