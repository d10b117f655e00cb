"""Edits drawn by chance are written as they are read again, or refused; nothing else changes."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING

import pytest
from tests.support.drawn_edits import found_in
from tests.support.judging import Case, cases, emit_records, kind_of
from tests.support.strangers import imported_from

from byteloom.editing.places import read_all
from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.support.drawn_edits import Path as Place

pytestmark = pytest.mark.xdist_group("drawn_edits")


@pytest.fixture(scope="module", autouse=True)
def _classes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("drawn")
    emit_records(folder)
    with imported_from(folder):
        yield


def _read(name: str, data: bytes) -> dict[Place, str]:
    record = kind_of(name).from_bytes(data)
    read_all(record)
    return found_in(record)


def _of(found: dict[Place, str], path: Place) -> str:
    return found.get(path, "")


@pytest.fixture(scope="module")
def few(_classes: None) -> list[Case]:
    """Make six edits of each file, the same in every run."""
    return list(cases("always the same", 6))


def _judged(found: Iterable[Case], seed: str) -> tuple[int, int]:
    """Return how many edits were written and how many refused; none is written wrong."""
    written = refused = 0
    for name, _, sample, edits, left in found:
        refused += left
        for each in edits:
            after = _read(name, each.data)
            wrong = each.wrong(partial(_of, sample.found), partial(_of, after))
            assert not wrong, (seed, name, each.edit, wrong)
            written += 1
    return written, refused


def test_an_edit_is_read_again_or_refused_and_nothing_else_changes(few: list[Case]) -> None:
    """A fixed sample of edits is read as it was made, or refused."""
    written, refused = _judged(few, "always the same")
    assert written > 600
    assert refused > 300


@pytest.mark.slow
def test_many_edits_are_read_again_or_refused() -> None:
    """Edits drawn anew at every run (`EDITS_SEED` repeats one) are read as made, or refused."""
    seed = os.environ.get("EDITS_SEED", token_hex(4))
    _judged(cases(seed, 150), seed)


def test_a_byte_that_nobody_edited_is_noticed(few: list[Case]) -> None:
    """The judge notices a file in which one more byte was changed."""
    noticed = 0
    for name, _, sample, edits, _ in few:
        for each in edits[:4]:  # of two places or more
            sound, after = _read(name, each.data), {}
            with suppress(ByteloomError):
                after = _read(name, each.data[:-1] + bytes(last ^ 1 for last in each.data[-1:]))
            kept = {path for path in each.was if path in sound and path in after}
            others = [path for path in kept if sound[path] == sample.found.get(each.was[path])]
            if any(after[path] != sound[path] for path in others):
                before, spoiled = partial(_of, sample.found), partial(_of, after)
                assert each.wrong(before, spoiled)
                noticed += 1
    assert noticed > 30
