"""Runs of pytest in a fork that imports what is in the tree."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["QUIET", "attempt"]

QUIET: Final = (
    *("-q", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *(f"-pno:{name}" for name in ("randomly", "cacheprovider", "xdist")),
)
"""Arguments for runs that always are the same, and leave nothing."""

_SECONDS: Final = 60
"""Seconds of processor time that a test may take; some compile kernels that have changed."""


def attempt(files: list[str], left_out: Collection[str]) -> str | None:
    """Run the tests of some files until one fails; return its name, or None if all pass.

    left_out  names of tests that do not count
    """
    sys.dont_write_bytecode = True
    seen = _Seen(left_out)
    try:
        status = pytest.main([*QUIET, "-x", *files], plugins=[seen])
    except Exception as error:  # noqa: BLE001  of what a fault left behind, when all is done
        return seen.failed or f"pytest ({type(error).__name__})"
    if seen.failed is None and status not in {
        pytest.ExitCode.OK,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    }:
        return f"pytest ({status!r})"
    return seen.failed


class _Seen:
    """A plugin of pytest that remembers the first test that fails."""

    def __init__(self, left_out: Collection[str]) -> None:
        self._left_out = left_out
        self.failed: str | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self._left_out]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)  # whose signal ends the process
        return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid
