"""Try faults in several processes, each of which has a copy of the repository."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Final, Self

from tests.mutants.harmless import is_harmless
from tests.mutants.rooms import room_of
from tests.mutants.trial import INVALID, UNCHANGED, Trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType

    from tests.mutants.faults import Fault

__all__ = ["Jobs"]

_FORK: Final = multiprocessing.get_context("fork")
_KNOWN: Final[dict[str | None, str]] = {
    None: "SURVIVED",
    UNCHANGED: "harmless",
    INVALID: "invalid",
}


class Jobs:
    """Processes that try faults, until the end of a `with`."""

    def __init__(self, root: Path, folder: Path, *, quick: bool, count: int) -> None:
        """Try faults of *root*, the repository, in copies below *folder*, as `Trial` does."""
        self._pools = [
            ProcessPoolExecutor(1, _FORK, _begin, (root, folder / str(number), quick))
            for number in range(count)
        ]
        self._tried: list[Future[tuple[str, str, str]]] = []

    def __enter__(self) -> Self:
        """Return these jobs."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the processes, and those that wait in them; after an error, try no more faults."""
        for each in self._tried:
            each.cancel()
        for pool in self._pools:
            pool.submit(_end)
            pool.shutdown()

    def outcomes(self, drawn: Iterable[tuple[str, Fault]]) -> Iterator[tuple[str, str, str]]:
        """Yield for each fault its file, its outcome, and a line to print.

        The outcome is noticed, SURVIVED, harmless or invalid.  Faults come as their trials end.
        """
        rooms: dict[str, list[tuple[str, Fault]]] = {}
        for path, fault in drawn:
            rooms.setdefault(room_of(path), []).append((path, fault))
        loads = [0] * len(self._pools)
        self._tried = []
        for faults in sorted(rooms.values(), key=len, reverse=True):
            least = loads.index(min(loads))
            loads[least] += len(faults)
            self._tried += [self._pools[least].submit(_outcome, *each) for each in faults]
        for each in as_completed(self._tried):
            yield each.result()


_trials: Final[list[Trial]] = []
"""The trial of this process."""


def _begin(root: Path, folder: Path, quick: bool) -> None:
    _trials.append(Trial(root, folder, quick=quick))


def _end() -> None:
    while _trials:
        _trials.pop().end()


def _outcome(path: str, fault: Fault) -> tuple[str, str, str]:
    """Try a fault; return its file, its outcome, and the line to print."""
    source = (_trials[0].tree / path).read_text()
    faulty = fault.applied(source)
    line, becomes = _statement(source, fault), _statement(faulty, fault)
    if is_harmless(path, source.splitlines()[: fault.line], becomes):
        outcome, why = "harmless", "listed"
    else:
        by = _trials[0].notices(path, source, faulty)
        outcome, why = _KNOWN.get(by, "noticed"), by or "no test"
    place = f"{path}:{fault.line}: {fault.kind}: {line}  ->  {becomes or '(nothing)'}"
    return path, outcome, f"{outcome:8}  {place}  [{why}]"


def _statement(source: str, fault: Fault) -> str:
    """Return the line of *source* that a fault changes, without the space around it."""
    return source.splitlines()[fault.line - 1].strip()
