"""Tests that wait in a process of their own for the faults that they may notice."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mutants.forks import Forks
from tests.mutants.trying import Trying
from tests.mutants.waiting import UNPATCHED, Change, Waiting

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


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Waiting]:
    """Four tests of a module, one of which fails."""
    tree = tmp_path_factory.mktemp("copy") / "tree"
    (tree / "runtime").mkdir(parents=True)
    (tree / "runtime/counting.py").write_text(CODE)
    (tree / "test_half.py").write_text(TESTS)
    (tree / "pytest.ini").write_text("[pytest]\n")
    process = Waiting(Forks(tree, interpreted=False), ["test_half.py"])
    yield process
    process.end()


def change(new: str) -> Change:
    """Return a change of the line that halves."""
    return Change("runtime/counting.py", CODE, CODE.replace("number // 2", new))


@pytest.mark.parametrize(
    ("new", "notices"),
    [
        ("number >> 1", None),
        ("number / 2", ODD),
        ("-number // 2", EVEN),
        ("number // (2 if number else 0)", ZERO),
        ("number // 2 if number else [*iter(int, 1)]", ZERO),
        ("number // 2 if number else __import__('os')._exit(0)", ZERO),
    ],
)
def test_the_first_test_that_notices_a_change_is_named(
    waiting: Waiting, new: str, notices: str | None
) -> None:
    """Whether it fails, never ends or ends its process; one that fails anyway does not count."""
    assert waiting.attempt(change(new), [EVEN, BROKEN, ODD, ZERO], 1) == notices


def test_a_change_is_gone_with_its_trial(waiting: Waiting) -> None:
    """The next trial is of the code as it was."""
    assert waiting.attempt(change("1"), [ZERO], 1) == ZERO
    assert waiting.attempt(change("number >> 1"), [ZERO], 1) is None


def test_a_change_of_what_an_import_ran_is_not_tried(waiting: Waiting) -> None:
    """Its functions would go on with what the import gave."""
    constant = Change("runtime/counting.py", CODE, CODE.replace("SIZE = 4", "SIZE = 5"))
    assert waiting.attempt(constant, [EVEN], 1) == UNPATCHED


@pytest.mark.filterwarnings("ignore::coverage.exceptions.CoverageWarning")
def test_a_fault_is_tried_against_the_code_without_it(tmp_path: Path) -> None:
    """The tests are collected before the first fault is in the tree, and each fault leaves it."""
    copy = tmp_path / "tree"
    (copy / "runtime").mkdir(parents=True)
    for name, text in {
        "runtime/counting.py": CODE,
        "test_half.py": TESTS,
        "pytest.ini": "",
    }.items():
        (copy / name).write_text(text)
    trying = Trying(Forks(copy, interpreted=False), tmp_path / "known", quick=False)
    trying.prepare(["test_half.py"], "runtime/counting.py")
    for new, notices in [("number / 2", ODD), ("number >> 1", None), ("number / 2", ODD)]:
        fault = change(new)
        (copy / fault.path).write_text(fault.new)
        found = trying.failing(["test_half.py"], {fault.path: {2}}, fault)
        (copy / fault.path).write_text(fault.old)
        assert found == notices
    trying.end()
