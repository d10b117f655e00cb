"""Runs of pytest in a fork: a measured one of a file's tests, and trials of chosen tests.

A test's name is pytest's: `tests/a/test_b.py::TestC::test_d[0]`.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import pytest
from coverage import Coverage
from tests.mutants.forks import strangers

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["attempt", "measure"]

_PRELOADED: Final = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
_QUIET: Final = ("-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist", *_PRELOADED)


def measure(file: str, data: str, slow: str) -> dict[str, Any]:
    """Run the tests of *file*, and save the lines that each of them runs in *data*.

    What a fixture of more than one test runs is saved under the name of the file.

    slow  a file with the names of tests to leave out, a line each, whatever they are run with; one
          that takes too long is added to it and ends the process, since raising an error could
          leave threads waiting for ever

    Returns the seconds of processor time of each test (`seconds`), the tests that fail (`broken`),
    the modules of other projects (`modules`), the files of imported modules of the tree
    (`sources`), and what stopped the run, if anything (`stopped`).
    """
    sys.dont_write_bytecode = False
    coverage = Coverage(
        data_file=data, config_file=False, source=["runtime", "codegen", "generated"]
    )
    seen = _Measured(file, coverage, Path(slow))
    coverage.start()
    status = pytest.main([*_QUIET, "--disable-warnings", file], plugins=[seen])
    coverage.stop()
    coverage.save()
    expected = {
        pytest.ExitCode.OK,
        pytest.ExitCode.TESTS_FAILED,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    }
    return {
        "seconds": seen.seconds,
        "broken": sorted(seen.broken),
        "modules": strangers(),
        "sources": _sources(Path.cwd()),
        "stopped": None if status in expected else f"{file}: pytest ended with {status!r}",
    }


def _sources(tree: Path) -> list[str]:
    """Return the files of the imported modules that are in the tree."""
    files = {Path(getattr(each, "__file__", None) or "/") for each in [*sys.modules.values()]}
    return sorted(str(file.relative_to(tree)) for file in files if file.is_relative_to(tree))


_PATIENCE: Final = 10
"""Seconds of processor time that a test may take: with interpreted kernels, a few never end."""


class _Measured:
    """Notes on a run that is measured."""

    def __init__(self, file: str, coverage: Coverage, slow: Path) -> None:
        self._file, self._coverage, self._slow = file, coverage, slow
        self._now = self._test = ""
        self.seconds: dict[str, float] = {}
        self.broken = set[str]()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        slow = self._slow.read_text().splitlines() if self._slow.exists() else []
        items[:] = [item for item in items if item.nodeid.partition("[")[0] not in slow]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self._test = item.nodeid
        self._switch(item.nodeid)
        signal.signal(signal.SIGVTALRM, self._give_up)
        signal.setitimer(signal.ITIMER_VIRTUAL, _PATIENCE)
        begun = process_time()
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.seconds[item.nodeid] = process_time() - begun

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        test = self._now
        if fixturedef.scope != "function":
            self._switch(self._file)
        try:
            return (yield)
        finally:
            self._switch(test)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.broken.add(report.nodeid)

    def _give_up(self, *_: Any) -> None:
        with self._slow.open("a") as names:
            names.write(f"{self._test.partition('[')[0]}\n")
        os._exit(1)

    def _switch(self, context: str) -> None:
        if context != self._now:
            self._now = context
            self._coverage.switch_context(context)


def attempt(tests: list[str]) -> str | None:
    """Run tests in this order until one fails; return its name, None where all pass."""
    sys.dont_write_bytecode = True
    seen = _Chosen(tests)
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    try:
        status = pytest.main([*_QUIET, "-x", *files], plugins=[seen])
    except Exception as error:  # noqa: BLE001  of what a fault left behind, when all is done
        return seen.failed or f"pytest ({type(error).__name__})"
    if seen.failed is None and status is not pytest.ExitCode.OK:
        return f"pytest ({status!r})"
    return seen.failed


class _Chosen:
    """The tests of a trial, and the first that fails."""

    def __init__(self, tests: list[str]) -> None:
        self._places = {test: number for number, test in enumerate(tests)}
        self.failed: str | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self._places]
        items[:] = sorted(chosen, key=lambda item: self._places[item.nodeid])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid
