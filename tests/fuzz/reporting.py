"""The figures of fuzzing, in a line for each target at the end of a run, and one for all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.fuzz.campaign import Figures

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NAME"]

NAME: Final = "fuzz"
"""The name of the property in which a test keeps its target and counts."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Print the figures of the tests that ran, in whichever process."""
    yield
    figures: dict[str, Counter[str]] = {}
    for target, counts in _kept(terminalreporter):
        figures.setdefault(target, Counter()).update(counts)
    for target in sorted(figures):
        terminalreporter.write_line(f"fuzz {target}: {Figures(figures[target])}")
    if len(figures) > 1:
        whole = sum(figures.values(), Counter[str]())
        terminalreporter.write_line(f"fuzz, all: {Figures(whole)}")


def _kept(reporter: pytest.TerminalReporter) -> Iterator[Any]:
    for outcome in ("passed", "failed"):
        for report in reporter.stats.get(outcome, ()):
            yield from (
                value for key, value in getattr(report, "user_properties", ()) if key == NAME
            )
