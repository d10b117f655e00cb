"""A process collects tests once, and tries faults with them in forks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mutants.elsewhere import (
    BROKEN,
    CODE,
    EVEN,
    ODD,
    ZERO,
    Elsewhere,
    change,
    copied,
    trials_of_three,
)
from tests.mutants.waiting import UNPATCHED, Change


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    """Four tests of a module, one of which fails."""
    tree = copied(tmp_path_factory.mktemp("copy") / "tree")
    process = Elsewhere(tree)
    yield process
    process.end()


@pytest.mark.parametrize(
    ("new", "notices"),
    [
        ("number >> 1", None),
        ("number / 2", ODD),
        ("number // 2 if number - 4 else 3", EVEN),
        ("number // (2 if number else 0)", ZERO),
        ("number // 2 if number else [*iter(int, 1)]", ZERO),
        ("number // 2 if number else __import__('os')._exit(0)", ZERO),
    ],
)
def test_the_first_test_that_notices_a_change_is_named(
    waiting: Elsewhere, new: str, notices: str | None
) -> None:
    """The first test that fails, hangs or ends its process is named, unless it is left out."""
    assert waiting.attempt(change(new), (BROKEN,)) == notices


def test_a_change_is_gone_with_its_trial(waiting: Elsewhere) -> None:
    """After a trial, the next one runs the original code."""
    assert waiting.attempt(change("1"), (BROKEN, EVEN, ODD)) == ZERO
    assert waiting.attempt(change("number >> 1"), (BROKEN,)) is None


def test_a_change_of_what_an_import_ran_is_not_tried(waiting: Elsewhere) -> None:
    """A change of code that ran at import is not tried, since functions keep the old values."""
    constant = Change("runtime/counting.py", CODE, CODE.replace("SIZE = 4", "SIZE = 5"))
    assert waiting.attempt(constant) == UNPATCHED


def test_a_fault_is_tried_against_the_code_without_it(tmp_path: Path) -> None:
    """Each fault is tried alone: the tree is sound when tests are collected and between faults."""
    assert trials_of_three(copied(tmp_path / "tree")) == [ODD, None, ODD]
