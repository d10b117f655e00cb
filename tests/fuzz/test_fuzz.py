"""Damaged inputs of every kind end in a `ByteloomError` or a value.

A few are read in every run, 230,000 in a sweep (``make sweep``), in child processes under a memory
limit and an alarm.  A failure names inputs by number; ``python -m tests.fuzz.worker TARGET NUMBER``
reads one of them again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.fuzz.campaign import BAD, Figures, run
from tests.fuzz.reporting import NAME
from tests.fuzz.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterator

_PART = 5_000
"""Inputs of one test of a sweep, so that all cores get some."""

_FEW = 100
"""Inputs of an ordinary run."""

_SHOWN = 10


def _parts() -> Iterator[Any]:
    for name, target in TARGETS.items():
        inputs = target.share * 1_000
        for first in range(0, inputs, _PART):
            stop = min(first + _PART, inputs)
            yield pytest.param(name, first, stop, id=f"{name} {first}")


def _check(record: Any, target: str, figures: Figures) -> None:
    """Keep the figures for the end of the run; fail where anything but an error or a value came."""
    record(NAME, (target, dict(figures.counts)))
    found = "\n".join(json.dumps(each) for each in figures.found[:_SHOWN])
    assert not any(figures.counts[name] for name in BAD), f"{figures}\n{found}"


def test_a_few_damaged_inputs_are_refused_or_read(record_property: Any) -> None:
    """A few damaged inputs raise `ByteloomError` or give a value, without a hang or lost rows."""
    figures = run("everything", 0, _FEW)
    assert figures.inputs == _FEW
    _check(record_property, "everything", figures)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "first", "stop"), list(_parts()))
def test_damaged_inputs_are_refused_or_read(
    target: str, first: int, stop: int, record_property: Any
) -> None:
    """Each of a sweep's damaged inputs raises `ByteloomError` or gives a value."""
    figures = run(target, first, stop)
    assert figures.inputs == stop - first
    _check(record_property, target, figures)


def test_a_sweep_reads_at_least_230_000_inputs_of_which_50_000_are_lances() -> None:
    """A sweep has at least 230,000 inputs, 50,000 of them of Lance files and datasets."""
    assert sum(target.share for target in TARGETS.values()) >= 230
    assert sum(TARGETS[name].share for name in ("Lance", "Lance dataset")) == 50


def test_a_row_that_took_the_deleted_value_contradicts_nothing(tmp_path: Any) -> None:
    """A row whose value became the deleted one counts, since its table lacks it for a reason."""
    seeds = {each.name: each for each in TARGETS["Parquet data"].seeds(tmp_path)}
    seed = seeds["v2 plain.parquet"]
    changed = seed.data.replace(_FIVE, _SEVEN, 1)
    assert changed != seed.data
    assert seed.read(changed) == seed.read(seed.data)


_FIVE, _SEVEN = (each.to_bytes(8, "little") for each in (5, 7))
"""Ids, as a plain page has them; those of `t.x` come later."""


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("raise ValueError('x')", "other"),
        ("bytearray(1 << 40)", "other"),
        ("os.kill(os.getpid(), 11)", "crash"),
        ("signal.setitimer(signal.ITIMER_REAL, 0.1); time.sleep(5)", "hang"),
        ("signal.setitimer(signal.ITIMER_PROF, 0.1)\n        while True: pass", "hang"),
        ("return 1", "silent"),
    ],
)
def test_what_must_not_happen_is_noticed(code: str, kind: str, tmp_path: Any) -> None:
    """A reader that fails, hangs or crashes is counted, and the other inputs are still read."""
    reader = tmp_path / "failing.py"
    reader.write_text(_FAILING.format(code=code))
    figures = run("failing", 0, 8, worker=reader)
    assert figures.inputs == 8
    assert figures.counts[kind] == sum(each["kind"] == kind for each in figures.found) > 0
    assert figures.counts[kind] + figures.counts["value"] + figures.counts["refused"] == 8


_FAILING = """
import os, signal, sys, time
from tests.fuzz import worker
from tests.fuzz.seeds import Seed

SOUND = bytes(50)

def read(data):
    if data != SOUND and len(data) >= 50:
        {code}
    return 2

def seeds(folder):
    yield Seed("s", SOUND, read, counts=True)

worker.main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], seeds)
"""
