"""A copy of the repository in which one fault at a time is tried; the user's tree is not edited.

- Kernels run interpreted: a compiled one would come from a cache that does not know of the fault.
- The tests of a room run once without a fault, under coverage: that says which of them run a line,
  how long each takes, and which fail anyway.  A line that no test runs by itself, at import or in a
  fixture, is tried against all tests of its room.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from coverage import CoverageData
from tests.mutants.rooms import own_tests, room_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["UNCHANGED", "Trial"]

UNCHANGED: Final = "the generated code is the same"
"""What `Trial.notices` returns for a fault in a spec that reaches no code."""

_COVERAGE: Final = """\
[run]
dynamic_context = test_function
source = runtime,codegen,generated
data_file = {file}
"""
_QUIET: Final = ("-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--no-header")
_FAILED: Final = 1
"""Pytest's exit status after tests that failed; a broken import is 2, of a run that stopped."""


class Trial:
    """The copy below *folder*, and what is known of its tests."""

    def __init__(self, root: Path, folder: Path) -> None:
        """Copy *root*, the repository, where it differs from the copy."""
        self.tree = folder / "tree"
        self._folder = folder
        self._rooms: dict[str, _Room] = {}
        _copy(root, self.tree)
        self._environment = {
            **{key: value for key, value in os.environ.items() if key != "BYTELOOM_CORPUS"},
            "PYTHONPATH": os.pathsep.join(
                str(self.tree / each) for each in ("runtime", "codegen", "generated")
            ),
            "BYTELOOM_KERNELS": "interpreted",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def notices(self, path: str, old: str, new: str) -> str | None:
        """Return what notices that a file holds *new* and not *old*; None where nothing does."""
        room = self._room(room_of(path))
        file = self.tree / path
        before = self._generated() if path.startswith("specs/") else {path: old}
        file.write_text(new)
        try:
            if path.startswith("specs/"):
                if self._run("-m", "byteloom", "generate").returncode:
                    return "the generator"
                if self._generated() == before:
                    return UNCHANGED
            return self._tested(room, before)
        finally:
            file.write_text(old)
            for name, text in before.items():
                (self.tree / name).write_text(text)

    def _tested(self, room: _Room, before: dict[str, str]) -> str | None:
        changed = {
            name: _changed(text, (self.tree / name).read_text()) for name, text in before.items()
        }
        tests = room.tests_of({name: lines for name, lines in changed.items() if lines})
        try:
            done = self._run("-m", "pytest", "-x", *_QUIET, *tests, patience=room.patience(tests))
        except subprocess.TimeoutExpired:
            return "the time limit"
        if not done.returncode:
            return None
        return next(
            iter(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)), "pytest"
        )

    def _generated(self) -> dict[str, str]:
        files = sorted((self.tree / "generated").rglob("*.py"))
        return {str(file.relative_to(self.tree)): file.read_text() for file in files}

    def _room(self, name: str) -> _Room:
        """Run the tests of a room without a fault, unless that was done since the last change."""
        if name not in self._rooms:
            data = self._folder / (re.sub(r"\W+", "-", name) + ".coverage")
            report = data.with_suffix(".xml")
            newest = max(file.stat().st_mtime for file in self.tree.rglob("*.py"))
            if not report.exists() or report.stat().st_mtime < newest:
                settings = data.with_suffix(".rc")
                settings.write_text(_COVERAGE.format(file=data))
                tests = [test for test in own_tests(name) if (self.tree / test).exists()]
                coverage = ("-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest")
                done = self._run(*coverage, *_QUIET, f"--junitxml={report}", *tests)
                if done.returncode not in {0, _FAILED}:
                    raise SystemExit(f"{name}: the tests do not run\n{done.stdout[-3000:]}")
            self._rooms[name] = _Room(self.tree, data, report, own_tests(name))
        return self._rooms[name]

    def _run(
        self, *command: str, patience: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.tree,
            env=self._environment,
            capture_output=True,
            check=False,
            text=True,
            timeout=patience,
        )


class _Room:
    """The tests of a room: which lines they run, and how long they take."""

    def __init__(self, tree: Path, data: Path, report: Path, tests: list[str]) -> None:
        self._tree = tree
        self._all = [test for test in tests if (tree / test).exists()]
        self._seconds: dict[str, float] = {}
        self._broken = set[str]()
        for case in ET.parse(report).iter("testcase"):  # noqa: S314  (pytest's own report)
            name = f"{case.get('classname')}.{(case.get('name') or '').partition('[')[0]}"
            self._seconds[name] = self._seconds.get(name, 0) + float(case.get("time") or 0)
            if case.find("failure") is not None or case.find("error") is not None:
                self._broken.add(name)
        self._data = CoverageData(str(data))
        self._data.read()

    def tests_of(self, changed: dict[str, set[int]]) -> list[str]:
        """Return the tests that run one of some lines, the quickest first; all, where none does."""
        found = set[str]()
        for name, lines in changed.items():
            contexts = self._data.contexts_by_lineno(str(self._tree / name))
            found.update(*(contexts.get(line, ()) for line in lines))
        found -= {"", *self._broken}
        known = sorted(found & self._seconds.keys(), key=lambda name: self._seconds[name])
        without = [f"--deselect={self._id(name)}" for name in self._broken]
        return [self._id(name) for name in known] or [*self._all, *without]

    def patience(self, tests: Iterable[str]) -> float:
        """Return the seconds after which tests do not end any more, on however busy a machine."""
        ids = {self._id(name): seconds for name, seconds in self._seconds.items()}
        return 120 + 10 * sum(ids.get(test, 0) for test in tests) or sum(ids.values())

    def _id(self, name: str) -> str:
        """Pytest's name of a test, `tests/a/test_b.py::TestC::test_d`, from the dotted one."""
        parts = name.split(".")
        size = next(n for n in range(1, len(parts)) if self._file(parts[:n]).is_file())
        return "::".join(["/".join(parts[:size]) + ".py", *parts[size:]])

    def _file(self, parts: list[str]) -> Path:
        return self._tree / ("/".join(parts) + ".py")


def _changed(old: str, new: str) -> set[int]:
    """Return the numbers of the lines of *old* that a change from its first to its last spans."""
    if old == new:
        return set()
    before, after = old.splitlines(), new.splitlines()
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    pairs = zip(reversed(before), reversed(after), strict=False)
    end = next((i for i, (a, b) in enumerate(pairs) if a != b), 0)
    return set(range(start + 1, max(len(before) - end, start + 1) + 1))


def _copy(root: Path, tree: Path) -> None:
    """Bring *tree* to what git knows of *root*, changed and new files included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    names = {name for name in listed.split("\0") if name and (root / name).is_file()}
    for file in [file for file in tree.rglob("*") if file.is_file()]:
        if str(file.relative_to(tree)) not in names:
            file.unlink()
    for name in names:
        source, target = root / name, tree / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
