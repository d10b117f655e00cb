"""Which tests run a statement: found once for all tests of a room, and kept in a file.

What a fixture of a module or a session runs counts for every test that uses it.  Tests that start
processes are tried with every fault, the last of all, since nobody sees what those run.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import pickle
import sys
import zlib
from contextlib import suppress
from time import process_time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from tests.mutants.marks import MarkedFile, Marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
__all__ = ["Ran", "Reach", "keep", "kept_in", "load", "recorded"]

_STARTS: Final = ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec")
"""Events of starting a process."""

_NOT_IMPORTED: Final = (
    "byteloom.spark",
    "byteloom.native.intrinsics",
    "byteloom.native.object_file",
)
"""Modules that are left alone unless a test needs them."""


class Ran(NamedTuple):
    """What a test ran."""

    seconds: float
    starts: bool
    """Whether it started a process."""
    marks: bytes


class Reach(NamedTuple):
    """What the tests of some files ran."""

    files: dict[str, MarkedFile]
    """By their path below the tree."""
    tests: dict[str, Ran]
    sources: dict[str, str]
    """Digests of the files of tests."""

    def of(self, path: str, old: str, new: str) -> list[str] | None:
        """Return the names of the tests that may notice a change of a file; None if unknown.

        Those come first that take least time.
        """
        file = self.files.get(path)
        if file is None or file.source != old:
            return None
        lines = zip(old.splitlines(), new.splitlines(), strict=False)
        line = next((number for number, (a, b) in enumerate(lines, 1) if a != b), 0)
        mark = file.lines.get(line, file.called)
        if mark < 0:
            return None
        found = [name for name, ran in self.tests.items() if ran.starts or _has(ran.marks, mark)]
        return sorted(found, key=lambda name: (self.tests[name].starts, self.tests[name].seconds))

    def known(self, tree: Path) -> set[str]:
        """Return the files of tests that are still what they were."""
        return {file for file, digest in self.sources.items() if digest == _digest(tree / file)}


def _has(marks: bytes, mark: int) -> bool:
    return bool(zlib.decompress(marks)[mark >> 3] >> (7 - (mark & 7)) & 1)


def kept_in(folder: Path, files: Iterable[str]) -> Path:
    """Return the file that has what the tests of some files ran."""
    return folder / f"{hashlib.sha256(' '.join(sorted(files)).encode()).hexdigest()[:16]}.pickle"


def recorded(tree: Path, items: Sequence[pytest.Item]) -> Reach:
    """Run tests, and return what they ran."""
    gc.unfreeze()  # what is frozen is not found
    _import_all(tree)
    recorder = _Recorder(Marks(str(tree)))
    items[0].config.pluginmanager.register(recorder)
    tests = {
        item.nodeid: recorder.run(item, following)
        for item, following in zip(items, [*items[1:], None], strict=True)
    }
    files = {path.removeprefix(f"{tree}/"): file for path, file in recorder.marks.files.items()}
    sources = {name.partition("::")[0] for name in tests}
    return Reach(files, tests, {file: _digest(tree / file) for file in sources})


class _Recorder:
    """Notes what each test runs, and what fixtures of more than one test did."""

    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self._starts = False
        self._none = marks.taken()
        self._of_test = self._none
        self._of_fixtures: dict[int, np.ndarray] = {}
        sys.addaudithook(self._note)

    def _note(self, event: str, _: Any) -> None:
        if event in _STARTS:
            self._starts = True

    def run(self, item: pytest.Item, following: pytest.Item | None) -> Ran:
        """Run a test."""
        self._starts, self._of_test = False, self.marks.taken() & 0
        begun = process_time()
        with suppress(BaseException):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        ran = self._of_test | self.marks.taken()
        for definitions in getattr(item, "_fixtureinfo").name2fixturedefs.values():  # noqa: B009
            for each in definitions:
                ran |= self._of_fixtures.get(id(each), self._none)
        seconds = process_time() - begun
        return Ran(seconds, self._starts, zlib.compress(ran.tobytes(), 1))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Keep what a fixture runs that later tests find made."""
        self._of_test = self._of_test | self.marks.taken()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                ran = self.marks.taken()
                self._of_test = self._of_test | ran
                before = self._of_fixtures.get(id(fixturedef), self._none)
                self._of_fixtures[id(fixturedef)] = before | ran


def _import_all(tree: Path) -> None:
    """Import all modules of byteloom: only what is imported gets marks."""
    for root in ("runtime", "codegen", "generated"):
        for file in sorted((tree / root).rglob("*.py")):
            name = ".".join(file.relative_to(tree / root).with_suffix("").parts)
            name = name.removesuffix(".__init__")
            if not name.startswith(_NOT_IMPORTED) and not name.endswith("__main__"):
                with suppress(Exception):
                    importlib.import_module(name)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""


def keep(reach: Reach, file: Path) -> None:
    """Write what tests ran to a file, as values of no class that a reader has to import."""
    files, tests = ({name: tuple(each) for name, each in held.items()} for held in reach[:2])
    file.write_bytes(pickle.dumps((files, tests, reach.sources)))


def load(file: Path) -> Reach:
    """Return what a file has."""
    files, tests, sources = pickle.loads(file.read_bytes())  # noqa: S301  (our own)
    return Reach(
        {name: MarkedFile(*each) for name, each in files.items()},
        {name: Ran(*each) for name, each in tests.items()},
        sources,
    )
