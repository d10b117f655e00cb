"""The tests of a room, collected once in a process that waits, and tried in forks of it.

Collecting tests takes seconds. A fork has them at once; only the changed functions are put into it.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
from contextlib import suppress
from mmap import mmap
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from tests.mutants.forks import ENDED, load, strangers
from tests.mutants.kernels import Kernels
from tests.mutants.patches import functions_below, patch
from tests.mutants.reach import keep, recorded
from tests.mutants.runs import QUIET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from tests.mutants.forks import Forks

__all__ = ["SECONDS", "UNPATCHED", "Change", "Waiting"]

UNPATCHED: Final = "an import runs what is changed"
"""What a trial gives of a fault that needs a process which has imported nothing yet."""

RECORD: Final = "record"
"""What is asked for instead of a change, to have each test's statements written to a file."""

SECONDS: Final = 12
"""Seconds of processor time that a test may take: one with interpreted kernels may never end."""

_WALL: Final = 7_200
"""Seconds after which tests hang that take no time: those of a room take long on a busy machine."""

_FEW: Final = 5
"""Files whose tests are brought into order together."""

_MOST_MEMORY: Final = 12 << 30
_LONGEST_NAME: Final = 1 << 16


class Change(NamedTuple):
    """A change of a file: its text is *new* instead of *old*."""

    path: str
    old: str
    new: str


class Waiting:
    """A process that has collected the tests of some files."""

    def __init__(self, forks: Forks, files: Iterable[str], seconds: float = SECONDS) -> None:
        """Start the process, and wait until it has collected them.

        seconds  processor time after which a test is ended, and counts as one that fails
        """
        self._fork = forks.start(_collect, forks, list(files), seconds)
        self._needed = self._fork.connection.recv()

    def attempt(
        self, change: Change | None, files: Sequence[str], left_out: Iterable[str] = ()
    ) -> str | None:
        """Return the first test of some files that fails; None for none.

        change    with which they run
        files     the nearest first: of a few at a time, the quickest tests come first
        left_out  names of tests that do not count
        """
        plain = None if change is None else tuple(change)  # of no module that either has to import
        self._fork.connection.send((plain, list(files), set(left_out)))
        failed: str | None = self._fork.connection.recv()
        return failed

    def passes(self, test: str) -> bool:
        """Whether a test passes by itself, with nothing changed."""
        self._fork.connection.send((None, [test], set()))
        return self._fork.connection.recv() is None

    def record(self, file: Path) -> None:
        """Write to a file what each test runs."""
        self._fork.connection.send((RECORD, [str(file)], set()))
        self._fork.connection.recv()

    def load(self) -> None:
        """Import here what the tests need of other projects, so that later forks have it."""
        load(self._needed)

    def end(self) -> None:
        """End the process."""
        self._fork.end()


def _collect(requests: Connection, forks: Forks, files: list[str], seconds: float) -> None:
    """Collect tests, and try each requested change until the connection is closed."""
    sys.dont_write_bytecode = True
    base = f"--basetemp={forks.tree.with_name('tmp')}"
    pytest.main([*QUIET, base, *files], plugins=[_Collected(requests, forks, seconds)])


class _Collected:
    """A plugin of pytest that keeps the collected tests, and tries changes instead of running."""

    def __init__(self, requests: Connection, forks: Forks, seconds: float) -> None:
        self._requests, self._tree, self._forks = requests, str(forks.tree), forks
        self._seconds = seconds
        self._failed: str | None = None
        self._now = mmap(-1, _LONGEST_NAME)
        self._known: dict[str, float] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the requested faults instead of running all tests."""
        self._items: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            for name in (item.nodeid, item.nodeid.partition("::")[0]):
                self._items.setdefault(name, []).append(item)
        self._functions, self._kernels = functions_below(self._tree), Kernels()
        self._imported = {getattr(each, "__file__", "") for each in [*sys.modules.values()]}
        gc.collect()
        gc.freeze()
        self._requests.send(strangers())
        with suppress(EOFError):
            while True:
                self._requests.send(self._answer(*self._requests.recv()))
        os._exit(0)

    def _answer(self, plain: Any, names: list[str], left_out: set[str]) -> Any:
        """Return the first test that fails, hangs or ends its process; None for none."""
        self._note("the start of its tests")
        if plain == RECORD:
            return self._forks.run(self._record, *names, imported=True)
        try:
            found = self._forks.run(self._try, plain, names, left_out, seconds=_WALL, imported=True)
        except TimeoutError:
            found = ENDED
        if found == ENDED:
            return self._now[:].rstrip(b"\0").decode()
        failed, seconds = found
        self._known |= seconds
        return failed

    def _note(self, test: str) -> None:
        """Write which test runs, in memory that the waiting process can read."""
        self._now[:] = test.encode().ljust(_LONGEST_NAME, b"\0")

    def _try(
        self, plain: Any, names: list[str], left_out: set[str]
    ) -> tuple[str | None, dict[str, float]]:
        """Return the first test that fails, None for none, and how long each one took."""
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        if plain is not None and not self._patched(Change(*plain)):
            return UNPATCHED, {}
        seconds: dict[str, float] = {}
        items = [item for item in self._in_order(names) if item.nodeid not in left_out]
        for item, following in zip(items, [*items[1:], None], strict=True):
            self._note(item.nodeid)
            signal.setitimer(signal.ITIMER_PROF, self._seconds)  # whose signal ends the process
            begun = process_time()
            try:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            except BaseException:  # noqa: BLE001  whatever it is, the test did not pass
                self._failed = item.nodeid
            if self._failed is not None:
                return self._failed, seconds
            seconds[item.nodeid] = process_time() - begun
        return None, seconds

    def _record(self, file: str) -> None:
        """Write to a file what each test runs."""
        every = {item.nodeid: item for items in self._items.values() for item in items}
        keep(recorded(self._forks.tree, [*every.values()]), Path(file))

    def _in_order(self, names: list[str]) -> Iterator[pytest.Item]:
        """Yield the tests of some files; of each few files, the quickest tests come first."""
        for start in range(0, len(names), _FEW):
            few = (
                item for name in names[start : start + _FEW] for item in self._items.get(name, ())
            )
            yield from sorted(few, key=lambda item: self._known.get(item.nodeid, 0))

    def _patched(self, change: Change) -> bool:
        """Put the change into imported functions; return whether that is enough to try it."""
        path = f"{self._tree}/{change.path}"
        if path not in self._imported:
            return True
        self._kernels.interpret(path)
        return patch(self._functions, path, change.old, change.new)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = self._failed or report.nodeid
