"""A small module with tests, and a process without threads in which faults of it are tried.

`Waiting` forks its process, which is only safe without threads; pytest's workers have threads.
"""

import multiprocessing
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from tests.mutants.forks import Forks
from tests.mutants.trying import Trying
from tests.mutants.waiting import Change, Waiting

_SPAWN = multiprocessing.get_context("spawn")

CODE = "def half(number):\n    return number // 2\n\n\nSIZE = 4\n"
TESTS = """\
import os
from counting import half

def test_even(): assert half(4) == 2
def test_odd(): assert half(5) == 2
def test_zero(): assert half(0) == 0
def test_broken(): assert half(4) == 3
"""
EVEN, ODD, ZERO, BROKEN = (
    f"test_half.py::test_{name}" for name in ("even", "odd", "zero", "broken")
)


class Elsewhere:
    """`Waiting` in a process of its own."""

    def __init__(self, tree: Path) -> None:
        """Start the process in *tree*."""
        self._connection, there = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(there, tree))
        self._process.start()
        there.close()

    def attempt(self, change: Change, left_out: tuple[str, ...] = ()) -> str | None:
        """Do what `Waiting.attempt` does, with all tests."""
        self._connection.send((change, ["test_half.py"], left_out))
        found: str | None = self._connection.recv()
        return found

    def end(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join()


def _serve(connection: Connection, tree: Path) -> None:
    """Try each requested change until the connection is closed."""
    process = Waiting(Forks(tree), ["test_half.py"], seconds=0.5)
    with suppress(EOFError):
        while True:
            connection.send(process.attempt(*connection.recv()))
    process.end()


def _record(tree: Path, files: list[str], file: Path) -> None:
    process = Waiting(Forks(tree), files)
    process.record(file)
    process.end()


def record(tree: Path, files: list[str], file: Path) -> None:
    """Write what each test of some *files* runs to a *file*, in another process."""
    process = _SPAWN.Process(target=_record, args=(tree, files, file))
    process.start()
    process.join()


def copied(tree: Path) -> Path:
    """Make a tree of a module and its tests."""
    (tree / "runtime").mkdir(parents=True)
    (tree / "runtime/counting.py").write_text(CODE)
    (tree / "test_half.py").write_text(TESTS)
    (tree / "pytest.ini").write_text("[pytest]\n")
    return tree


def change(new: str) -> Change:
    """Return a change of the line that halves."""
    return Change("runtime/counting.py", CODE, CODE.replace("number // 2", new))


def _try_three(there: Connection, copy: Path) -> None:
    """Try three faults, one after the other, and send which test failed for each."""
    trying = Trying(Forks(copy), copy.with_name("reach"))
    trying.prepare(["test_half.py"])
    assert not trying.is_sound(["test_half.py"], BROKEN)
    for new in ["number / 2", "number >> 1", "number / 2"]:
        fault = change(new)
        (copy / fault.path).write_text(fault.new)
        there.send(trying.failing(["test_half.py"], fault))
        (copy / fault.path).write_text(fault.old)
    trying.end()


def trials_of_three(tree: Path) -> list[str | None]:
    """Return which test failed for each of three faults, tried one after the other."""
    here, there = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_try_three, args=(there, tree))
    process.start()
    there.close()
    found = [here.recv() for _ in range(3)]
    process.join()
    return found
