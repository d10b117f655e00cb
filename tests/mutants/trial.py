"""A copy of the repository in which one fault at a time is tried; the user's tree is not edited.

- A fault in a function is tried in a process that has already collected the tests of the room: a
  fork of it replaces the function, and runs the tests that execute the fault's line, those of the
  nearest files first, until one fails. Kernels that have the fault are interpreted there.
- A fault in code that runs when a module is imported is tried in a process that imports the module
  with the fault.
- If no test fails in the fork, the nearest tests run in such a process, too: an import may have
  called the function.
- A test that fails without the fault too does not count.
- A fault of a layout is tried against its examples first, one of a table against the test that
  compares the table with the format's own document.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from tests.mutants.examples import contradicted, refuted
from tests.mutants.forks import Forks
from tests.mutants.nearness import nearest_first
from tests.mutants.rooms import own_tests, published, room_of
from tests.mutants.trying import TIME, Trying
from tests.mutants.waiting import Change

from byteloom_codegen.errors import GenerateError, SpecError, SpecErrors
from byteloom_codegen.outputs import Output, outputs_of_repository, write
from byteloom_codegen.tables.forms import make_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["INVALID", "UNCHANGED", "Trial"]

_NATIVE: Final = "runtime/byteloom/native/compiled"
"""Machine code that `make native` has made of what is not faulty."""

_SECONDS: Final = 180
"""Seconds after which examples and tables of facts hang."""

INVALID: Final = "the generator refuses it"
"""What `Trial.notices` returns for a fault that makes a spec no spec: it says nothing of tests."""

UNCHANGED: Final = "the generated code is the same"
"""What `Trial.notices` returns for a fault in a spec that reaches no code."""

_Judge: TypeAlias = "Callable[[str, dict[str, str]], str | None]"
"""What says what notices a fault in a file, given the files that it may change, as they were."""


class Trial:
    """A copy of the repository below a folder, and what is known of its tests."""

    def __init__(self, root: Path, folder: Path, *, quick: bool = False) -> None:
        """Bring the copy below *folder* up to date with *root*, the repository.

        quick  only the nearest tests are tried
        """
        self.tree = folder / "tree"
        _copy(root, self.tree)
        self._forks = Forks(self.tree)
        self._trying = Trying(self._forks, None if quick else folder.with_name("reach"))

    def notices(self, path: str, old: str, new: str) -> str | None:
        """Return a test that fails if a file has *new* instead of *old*; None if none does."""
        if path.endswith(".ksy"):
            found = self._judged(path, old, new, self._refuted)
        elif published(path):
            found = self._judged(path, old, new, self._contradicted)
        else:
            found = None
        if found is not None:
            return found
        parts = own_tests(room_of(path), self.tree)
        files = [file for part in parts for file in nearest_first(path, part, self.tree)]
        self._trying.prepare(files)
        while True:
            found = self._judged(path, old, new, partial(self._tested, files))
            if found is None or self._trying.is_sound(files, found):
                return found

    def _judged(self, path: str, old: str, new: str, judge: _Judge) -> str | None:
        """Return the result of *judge* for a tree in which a file has *new* in place of *old*."""
        before = self._generated() if path.startswith("specs/") else {path: old}
        times = {name: (self.tree / name).stat().st_mtime_ns for name in {path, *before}}
        (self.tree / path).write_text(new)
        try:
            if path.startswith("specs/"):
                if not self._generates(path):
                    return INVALID
                if self._generated() == before:
                    return UNCHANGED
            return judge(path, before)
        finally:
            for name, text in {**before, path: old}.items():
                _restore(self.tree / name, text, times[name])

    def _refuted(self, path: str, _: dict[str, str]) -> str | None:
        """Return the first example of a layout that fails, with the fault in the layout."""
        folder = path.split("/")[1]
        try:
            found: str | None = self._forks.run(
                refuted, self.tree, folder, seconds=_SECONDS, imported=True
            )
        except TimeoutError:
            return TIME
        return found

    def _contradicted(self, path: str, _: dict[str, str]) -> str | None:
        """Return the failing test that compares a table with the document of its format."""
        test = published(path)
        found: str | None = self._forks.run(contradicted, test, seconds=_SECONDS)
        return found

    def _tested(self, files: list[str], path: str, before: dict[str, str]) -> str | None:
        """Return the first test of some files that fails."""
        change = Change(path, before[path], self._text(path)) if path in before else None
        return self._trying.failing(files, change)

    def end(self) -> None:
        """End the processes that wait for another fault."""
        self._trying.end()

    def _generates(self, path: str) -> bool:
        """Generate code from the specs of a folder; return False if the changed one is refused.

        A table becomes a module by itself; layouts and messages may name each other.
        """
        folder = path.split("/")[1]
        package = self.tree / "generated/byteloom_generated" / folder
        try:
            if path.endswith(".yaml"):
                spec = self.tree / path
                write([Output(package / f"{spec.stem}.py", make_table(spec, path).module)])
                return True
            outputs = outputs_of_repository(self.tree, room=folder)
        except (GenerateError, SpecError, SpecErrors):
            return False
        write(outputs)
        written = {output.path for output in outputs}
        for file in package.glob("[!_]*.py"):
            if file not in written:
                file.unlink()  # generated before the fault, and not any more
        return True

    def _text(self, name: str) -> str:
        """Return the text of a file of the tree; "" if there is no such file."""
        file = self.tree / name
        return file.read_text() if file.exists() else ""

    def _generated(self) -> dict[str, str]:
        files = sorted((self.tree / "generated").rglob("*.py"))
        return {name: self._text(name) for name in (str(f.relative_to(self.tree)) for f in files)}


def _restore(file: Path, text: str, time: int) -> None:
    """Restore a file and its time, so that its cached bytecode is valid again."""
    if not file.exists() or file.read_text() != text or file.stat().st_mtime_ns != time:
        file.write_text(text)
        os.utime(file, ns=(time, time))


def _copy(root: Path, tree: Path) -> None:
    """Make *tree* a copy of the files of *root* that git does not ignore, committed or not."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    names = {name for name in listed.split("\0") if name and (root / name).is_file()}
    for file in [file for file in tree.rglob("*") if file.is_file()]:
        if str(file.relative_to(tree)) not in names and not {"__pycache__", "compiled"} & {
            *file.parts
        }:
            file.unlink()
    for name in names:
        source, target = root / name, tree / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
    shutil.copytree(root / _NATIVE, tree / _NATIVE, dirs_exist_ok=True)
