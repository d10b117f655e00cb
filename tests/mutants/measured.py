"""What is known of the tests of a copy: which lines each of them runs, and how long it takes.

The tests of a file run once without a fault, under coverage, before the first fault that they may
notice.  What that gave is kept as long as the file is the same, and the code that has the fault.
Where other code has changed other tests may run its lines; that only costs time, since all tests of
a room are tried before a fault is reported.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from coverage import CoverageData
from tests.mutants import runs
from tests.mutants.forks import ENDED, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tests.mutants.forks import Forks

__all__ = ["Measured"]

_LONGEST: Final = 1_800
"""Seconds after which the tests of a file hang."""

_FIRST: Final = 20
"""Tests that are tried before all others, since they are the quickest."""


class Measured:
    """The tests of a copy, with what was measured in *folder*."""

    def __init__(self, folder: Path, forks: Forks) -> None:
        """Measure nothing yet."""
        self._tree, self._folder, self._forks = forks.tree, folder, forks
        self._files: dict[str, dict[str, Any]] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def prepare(self, tests: Iterable[str], code: str) -> None:
        """Measure what was not measured yet of folders and files of tests and a file of code."""
        for file in self.files(tests):
            if file not in self._files or not self._is_of(self._files[file], file, code):
                self._files[file] = self._of(file, code)

    def files(self, tests: Iterable[str]) -> list[str]:
        """Return the files of folders and files of tests, by their place in the tree."""
        found = []
        for name in tests:
            place = self._tree / name
            found += sorted(place.rglob("test_*.py")) if place.is_dir() else [place]
        return [str(file.relative_to(self._tree)) for file in found if file.is_file()]

    def running(self, tests: Iterable[str], lines: dict[str, set[int]]) -> dict[str, list[str]]:
        """Return the tests of each file that may notice a change of some lines, in a good order.

        Those that run one of them: the file with most of them first, the quickest of a file first.
        Then all tests of the files whose imports run one.  Where no test and no import runs any,
        the same of any line of the same files of code.
        """
        files = self.files(tests)
        for wanted in (lines, dict.fromkeys(lines)):
            found = {file: self._contexts(file, wanted) for file in files}
            inside = {file: [t for t in self.sound(file) if t in found[file]] for file in files}
            order = sorted(files, key=lambda file: (-len(inside[file]), self._file_seconds(file)))
            at_import = [file for file in order if found[file] & {"", file}]
            chosen = {file: inside[file] for file in order if inside[file]}
            chosen |= {
                file: sorted(self.sound(file), key=lambda test: test not in inside[file])
                for file in at_import
            }
            if chosen:
                return chosen
        return {}

    def in_order(self, running: Mapping[str, list[str]]) -> list[str]:
        """Return tests that may notice a change: the quickest of all, then file by file."""
        quick = sorted(
            (test for tests in running.values() for test in islice(tests, _FIRST)),
            key=lambda test: (self.seconds([test]), test),
        )
        return list(dict.fromkeys([*quick[:_FIRST], *chain.from_iterable(running.values())]))

    def at_import(self, tests: Iterable[str], lines: Mapping[str, set[int]]) -> bool:
        """Whether an import runs one of some lines of code."""
        return any("" in self._contexts(file, lines) for file in self.files(tests))

    def sound(self, file: str) -> list[str]:
        """Return the tests of a file that pass without a fault, the quickest first."""
        seconds, broken = self._files[file]["seconds"], set(self._files[file]["broken"])
        return sorted(seconds.keys() - broken, key=lambda test: (seconds[test], test))

    def seconds(self, tests: Iterable[str]) -> float:
        """Return how long some tests take."""
        kept = (self._files[test.partition("::")[0]]["seconds"].get(test) for test in tests)
        return sum(map(float, filter(None, kept)))

    def _file_seconds(self, file: str) -> float:
        return self.seconds(self.sound(file))

    def _contexts(self, file: str, lines: Mapping[str, set[int] | None]) -> set[str]:
        """Return the tests of a file that run a line; its own name for fixtures, "" for imports.

        lines  of each file of code; None for all
        """
        data = _data(str(self._place(file)))
        found = set[str]()
        for name, numbers in lines.items():
            by_line = data.contexts_by_lineno(str(self._tree / name))
            found.update(*(by_line.get(n, ()) for n in (by_line if numbers is None else numbers)))
        return found

    def _of(self, file: str, code: str) -> dict[str, Any]:
        place = self._place(file)
        report = place.with_suffix(".json")
        known = json.loads(report.read_text()) if report.exists() else {}
        if not self._is_of(known, file, code):
            place.unlink(missing_ok=True)
            found = self._run(file, place)
            if not isinstance(found, dict) or found["stopped"]:
                raise SystemExit(f"{file} does not run: {found}")
            sources = {each: self._digest(each) for each in [file, *found["sources"]]}
            known = {**found, "sources": sources}
            report.write_text(json.dumps(known))
            _data.cache_clear()
        load(known["modules"])
        return known

    def _is_of(self, known: dict[str, Any], file: str, code: str) -> bool:
        """Whether what is known is of a file as it is, and of code as it is if it was run."""
        sources: dict[str, str] = known.get("sources", {file: ""})
        return all(sources[each] == self._digest(each) for each in {file, code} & {*sources})

    def _digest(self, file: str) -> str:
        return sha256((self._tree / file).read_bytes()).hexdigest()[:16]

    def _run(self, file: str, place: Path) -> Any:
        """Return what a run gave of a file; each run that is ended leaves out one test more."""
        slow, known = place.with_suffix(".slow"), -1
        while True:
            try:
                found = self._forks.run(runs.measure, file, str(place), str(slow), seconds=_LONGEST)
            except TimeoutError:
                raise SystemExit(f"{file} does not end") from None
            names = len(slow.read_text().splitlines()) if slow.exists() else 0
            if found != ENDED or names == known:
                return found
            known = names

    def _place(self, file: str) -> Path:
        """Return where the coverage of a file's tests is kept."""
        return self._folder / f"{file.replace('/', '-')}.coverage"


@cache
def _data(file: str) -> CoverageData:
    data = CoverageData(file)
    data.read()
    return data
