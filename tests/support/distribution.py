"""How tests are spread over workers, what takes long first, and what workers report.

xdist's own ``loadgroup`` hands out tests that have no group one by one, and whenever a test ends
goes through all that its worker has ever had: with 23,000 tests, most of which take milliseconds,
that takes a processor for more than a minute. Groups and properties, which take seconds each, come
first, and the many small cases of a corpus last, so that all workers end at about the same time.

A worker sends six messages for each test, most of which say that nothing went wrong before and
after it. For a test that takes a millisecond they take as long as the test.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol
from xdist.scheduler import LoadGroupScheduling

_BATCH: Final = 16
"""Tests of one module that a worker is given at once."""


@pytest.hookimpl(trylast=True)  # groups are made, and the order is drawn, in the same hook
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put tests that take long before others, in workers: they are handed out in this order."""
    if hasattr(config, "workerinput"):
        items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    """Return 0 for tests of groups, 1 for properties, 3 for cases of a corpus, 2 for all others."""
    marks = {mark.name for mark in item.iter_markers()}
    if "xdist_group" in marks:
        return 0
    if "hypothesis" in marks:
        return 1
    return 3 if "corpus" in marks else 2


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test in a worker, and report its call, and its set-up or teardown if they did not pass.

    Where each phase was asked for, as by ``--durations``, pytest runs the test itself.
    """
    options = vars(item.config.option)
    if not hasattr(item.config, "workerinput") or options.get("durations") is not None:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Batches | None:
    """Take the place of ``loadgroup``, without its sorting by the number of tests."""
    if config.getoption("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False
    return Batches(config, log)


class Batches(LoadGroupScheduling):  # type: ignore[misc]  # xdist has no types
    """Hands out groups whole, and what has no group in batches."""

    def schedule(self) -> None:
        """Decide which tests go together, before any is handed out."""
        if self.collection is None:
            self._units = self._units_of(next(iter(self.registered_collections.values())))
        super().schedule()

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Forget a unit that is done, as xdist does not."""
        super().mark_test_complete(node, item_index, duration)
        unit = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][unit].values()):
            del self.assigned_work[node][unit]

    def remove_node(self, node: Any) -> str | None:
        """Return the test in which a worker ended, if any; xdist would have another repeat it."""
        work = self.assigned_work[node]
        left = (nodeid for unit in work.values() for nodeid, done in unit.items() if not done)
        if (crashed := next(left, None)) is not None:
            unit = self._split_scope(crashed)
            work[unit][crashed] = True
            if all(work[unit].values()):
                del work[unit]
        super().remove_node(node)
        return crashed

    def _split_scope(self, nodeid: str) -> str:
        return self._units[nodeid]

    def _units_of(self, nodeids: list[str]) -> dict[str, str]:
        """Return for each test its group, or the batch that it is in."""
        units, seen = {}, Counter[str]()
        for nodeid in nodeids:
            unit = super()._split_scope(nodeid)
            if unit == nodeid:
                module = nodeid.partition("::")[0]
                unit = f"{module} {seen[module] // _BATCH}"
                seen[module] += 1
            units[nodeid] = unit
        return units
