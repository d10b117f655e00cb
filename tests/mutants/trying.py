"""Run the tests of a room on a copy with a fault, the nearest tests first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.mutants import runs
from tests.mutants.forks import ENDED
from tests.mutants.reach import kept_in, load
from tests.mutants.waiting import UNPATCHED, Waiting

if TYPE_CHECKING:
    from pathlib import Path

    from tests.mutants.forks import Forks
    from tests.mutants.reach import Reach
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
    """Runs tests of a copy, and remembers which fail without a fault."""

    def __init__(self, forks: Forks, folder: Path | None) -> None:
        """Run tests in *forks*.

        folder  that keeps what each test runs; None to try only those of a few files
        """
        self._forks, self._folder = forks, folder
        self._waiting: dict[frozenset[str], Waiting] = {}
        self._reach: dict[frozenset[str], Reach] = {}
        self._sound, self._broken = set[str](), set[str]()

    def prepare(self, files: list[str]) -> None:
        """Collect the tests of files without a fault, if that was not done yet."""
        room = frozenset(files)
        if room not in self._waiting:
            while len(self._waiting) >= _KEPT:
                self._waiting.pop(next(iter(self._waiting))).end()
            self._waiting[room] = Waiting(self._forks, sorted(files))
            self._waiting[room].load()
            if self._folder is not None:
                self._reach[room] = _recorded(self._waiting[room], files, self._folder)

    def failing(self, files: list[str], change: Change | None) -> str | None:
        """Return the first test that fails, None for none.

        files   of tests, all of a room, the nearest ones first
        change  the fault, if it is one in a module of Python
        """
        near = files if self._folder else files[:_NEAR]
        if change is not None:
            likely = self._likely(files, change) if self._folder else near
            found = self._waiting[frozenset(files)].attempt(change, likely, self._broken)
            if found is None:
                near = near[:_FEW]  # the changed function may have been called by an import
            elif found != UNPATCHED:
                return found
        return self._anew([near[:_FEW], near[_FEW : 2 * _FEW], near[2 * _FEW :]])

    def is_sound(self, files: list[str], test: str) -> bool:
        """Whether a test passes without a fault; one that fails is left out from then on."""
        if test not in self._sound | self._broken and "::" in test:
            passes = self._waiting[frozenset(files)].passes(test)
            (self._sound if passes else self._broken).add(test)
        return test not in self._broken

    def end(self) -> None:
        """End the processes in which tests wait."""
        for each in self._waiting.values():
            each.end()
        self._waiting.clear()

    def _likely(self, files: list[str], change: Change) -> list[str]:
        """Return which tests to try, of those that may run what is changed, the nearest first.

        All tests of a file that is new or changed since it was recorded are among them.
        """
        reach = self._reach[frozenset(files)]
        found = reach.of(*change)
        if found is None:
            return files
        near = set(files[:_NEAR])
        known = reach.known(self._forks.tree)
        whole = [file for file in files if file not in known]
        if reach.files[change.path].called >= 0:
            whole = [*files[:_NEAR], *whole]  # they may call a kernel's function by itself
        found = [each for each in found if each.partition("::")[0] not in whole]
        first = [each for each in found if each.partition("::")[0] in near]
        return [*first, *whole, *(each for each in found if each not in {*first})]

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


def _recorded(waiting: Waiting, files: list[str], folder: Path) -> Reach:
    """Return what the tests of some files run, from an earlier run or by running them."""
    file = kept_in(folder, files)
    if not file.exists():
        folder.mkdir(exist_ok=True)
        waiting.record(file)
    return load(file)
