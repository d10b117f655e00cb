"""Inputs read in processes of their own, and the figures of what came of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

__all__ = ["BAD", "Figures", "run"]

BAD: Final = ("other", "silent", "hang", "crash")
"""Other exceptions, rows lost in silence, inputs that took too long, processes that ended."""

_ROOT: Final = Path(__file__).parents[2]


@dataclass
class Figures:
    """What came of the inputs of one target."""

    counts: Counter[str] = field(default_factory=Counter)
    found: list[dict[str, Any]] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """How many were read."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        bad = ", ".join(f"{name} {self.counts[name]}" for name in BAD)
        return f"{self.inputs:,} inputs, refused {self.counts['refused']:,}, {bad}"


def run(target: str, first: int, stop: int, *, worker: Path | None = None) -> Figures:
    """Read the inputs of *target* from number *first* to *stop*.

    worker  a script that reads them; None for `tests.fuzz.worker`
    """
    script = ["-m", "tests.fuzz.worker"] if worker is None else [str(worker)]
    out = Figures()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "now")
        while first < stop:
            place.write_bytes((first - 1).to_bytes(8, "little", signed=True))
            first = _part([*script, target], first, stop, place, out)
    return out


def _part(script: list[str], first: int, stop: int, place: Path, out: Figures) -> int:
    """Let one process read until it ends; return the number to go on from."""
    command = [sys.executable, *script, str(first), str(stop), str(place)]
    done = subprocess.run(
        command, capture_output=True, check=False, text=True, cwd=_ROOT, env=_environment()
    )
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if "counts" in message:
            out.counts.update(message["counts"])
            return stop
        out.found.append(message)
    # What it had counted went with it: all that it did not report was read and refused.
    number = int.from_bytes(place.read_bytes(), "little", signed=True)
    assert number >= first, done.stderr[-3000:]
    kinds = Counter(each["kind"] for each in out.found if each["number"] >= first)
    out.counts.update(kinds)
    out.counts["refused"] += number - first - sum(kinds.values())
    kind = "hang" if -done.returncode in {signal.SIGALRM, signal.SIGPROF} else "crash"
    out.counts[kind] += 1
    out.found.append({"number": number, "kind": kind, "error": done.stderr[-1500:]})
    return number + 1


def _environment() -> dict[str, str]:
    """Return what keeps memory countable: no pool of Arrow's own, few arenas."""
    settings = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
    return os.environ | settings | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(_ROOT)}
