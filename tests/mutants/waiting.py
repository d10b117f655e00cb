"""The tests of a room, collected once in a process that waits, and tried in forks of it.

To collect them takes seconds; a fork has them at once, and needs but the changed functions.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
from contextlib import suppress
from mmap import mmap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from tests.mutants.forks import ENDED
from tests.mutants.patches import functions_below, patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from multiprocessing.connection import Connection

    from tests.mutants.forks import Forks

__all__ = ["UNPATCHED", "Change", "Waiting"]

UNPATCHED: Final = "an import runs what is changed"
"""What a trial gives of a fault that needs a process which has imported nothing yet."""

_QUIET: Final = ("-q", "--tb=no", *(f"-pno:{name}" for name in ("randomly", "cacheprovider")))
_MOST_MEMORY: Final = 12 << 30
_LONGEST_NAME: Final = 1 << 16


class Change(NamedTuple):
    """A file that holds *new* and not *old*."""

    path: str
    old: str
    new: str


class Waiting:
    """A process that has collected the tests of some files."""

    def __init__(self, forks: Forks, files: Sequence[str]) -> None:
        """Start it, and wait until it has."""
        self.files, self._tree = files, forks.tree
        self._fork = forks.start(_collect, forks, files)
        self.tests = frozenset[str](self._fork.connection.recv())
        self._sound, self._broken = set[str](), set[str]()

    def attempt(self, change: Change, tests: Iterable[str], seconds: float) -> str | None:
        """Return the first test that notices a change; None for none.

        A test that fails without the change as well does not count.

        seconds  of processor time after which tests are ended: the one that runs notices it
        """
        left = [test for test in tests if test in self.tests and test not in self._broken]
        while left:
            failed = self._run(change, left, seconds)
            if failed is None or failed == UNPATCHED or failed in self._sound:
                return failed
            before = left[: left.index(failed) + 1]
            if self._passes(change, before, seconds):
                self._sound.update(before)
                return failed
            self._broken.add(failed)
            left.remove(failed)
        return None

    def _passes(self, change: Change, tests: list[str], seconds: float) -> bool:
        """Whether tests pass without a change that is in the tree."""
        place = self._tree / change.path
        place.write_text(change.old)
        try:
            return self._run(None, tests, seconds) is None
        finally:
            place.write_text(change.new)

    def _run(self, change: Change | None, tests: list[str], seconds: float) -> str | None:
        plain = None if change is None else tuple(change)  # of no module that either has to import
        self._fork.connection.send((plain, tests, seconds))
        failed: str | None = self._fork.connection.recv()
        return failed

    def end(self) -> None:
        """End it."""
        self._fork.end()


def _collect(requests: Connection, forks: Forks, files: Sequence[str]) -> None:
    """Collect tests, and try what is asked for until the connection is closed."""
    sys.dont_write_bytecode = True
    base = forks.tree.with_name("tmp")
    arguments = [*_QUIET, "-W", "ignore::pytest.PytestAssertRewriteWarning", f"--basetemp={base}"]
    pytest.main([*arguments, *files], plugins=[_Collected(requests, forks)])


class _Collected:
    """The tests, and the functions that they may call."""

    def __init__(self, requests: Connection, forks: Forks) -> None:
        self._requests, self._tree, self._forks = requests, str(forks.tree), forks
        self._failed: str | None = None
        self._now = mmap(-1, _LONGEST_NAME)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try what is asked for in the place of running all."""
        self._items = {item.nodeid: item for item in session.items}
        self._functions = functions_below(self._tree)
        self._imported = {getattr(each, "__file__", "") for each in [*sys.modules.values()]}
        gc.collect()
        gc.freeze()
        self._requests.send(list(self._items))
        with suppress(EOFError):
            while True:
                plain, tests, seconds = self._requests.recv()
                change = None if plain is None else Change(*plain)
                self._requests.send(self._answer(change, tests, seconds))
        os._exit(0)

    def _answer(self, change: Change | None, tests: list[str], seconds: float) -> Any:
        """Return the first test that fails, hangs or ends its process; None for none."""
        wall = 30 + 10 * seconds
        self._note(tests[0])
        try:
            failed = self._forks.run(self._try, change, tests, seconds, seconds=wall, imported=True)
        except TimeoutError:
            failed = ENDED
        return failed if failed != ENDED else self._now[:].rstrip(b"\0").decode()

    def _note(self, test: str) -> None:
        """Write where the process that waits reads it which test runs."""
        self._now[:] = test.encode().ljust(_LONGEST_NAME, b"\0")

    def _try(self, change: Change | None, tests: list[str], seconds: float) -> str | None:
        _bound(int(seconds) + 1)
        if change is not None and not self._patched(change):
            return UNPATCHED
        items = [self._items[test] for test in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            self._note(item.nodeid)
            try:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            except BaseException:  # noqa: BLE001  whatever it is, the test did not pass
                return item.nodeid
            if self._failed is not None:
                return self._failed
        return None

    def _patched(self, change: Change) -> bool:
        """Whether the change is in effect; what is not imported yet will be, as it is now."""
        path = f"{self._tree}/{change.path}"
        return path not in self._imported or patch(self._functions, path, change.old, change.new)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = self._failed or report.nodeid


def _bound(seconds: int) -> None:
    """Let the process be ended where it takes more time or memory than its tests may."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
