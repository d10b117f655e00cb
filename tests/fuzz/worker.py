"""The process that reads damaged inputs: it may be ended by any of them, and is begun again.

Its arguments are the name of a target and the range of inputs.  A file that outlives the process
has the number of the input that is being read.  Allocations beyond the memory limit fail, and an
alarm ends the process when one input takes too long.

    python -m tests.fuzz.worker TARGET NUMBER   reads one input without limits; saves it as a file
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from tests.fuzz.seeds import Seed

    Made: TypeAlias = Callable[[Path], Iterator[Seed]]

__all__ = ["MEMORY", "SECONDS"]

MEMORY: Final = 1 << 30
"""Bytes that an input may take beside what sound inputs have taken."""

SECONDS: Final = 20
"""Processor time that an input may take."""

_WAIT: Final = 300
"""Seconds after which an input is taken to wait for something that never comes."""

_CHECKED: Final = 5
"""One of this many inputs is checked, whether it was read or refused."""

_LONGEST: Final = 3_000
"""Characters that an error may have, at most."""


def main(target: str, first: int, stop: int, place: str, made: Made | None = None) -> None:
    """Read the inputs from *first* to *stop*; print the figures as JSON.

    place  the file for the number of the input
    made   yields the seeds; None for those of *target*
    """
    with tempfile.TemporaryDirectory() as folder, Path(place).open("r+b") as kept:
        seeds = list((made or _seeds(target))(Path(folder)))
        # What sound ones give is found first, with all that this loads and compiles.
        used = {_drawn(target, number, seeds)[0] for number in range(first, stop)}
        whole = {at: _sound(seeds[at]) for at in sorted(used)}
        _limit()
        with mmap.mmap(kept.fileno(), 8) as now:
            counts: Counter[str] = Counter()
            for number in range(first, stop):
                now[:] = number.to_bytes(8, "little")
                at, chance = _drawn(target, number, seeds)
                _set_alarms(SECONDS, _WAIT)
                found = _outcome(seeds[at], whole[at], chance)
                counts[found["kind"]] += 1
                if found["kind"] not in {"refused", "value"}:
                    print(json.dumps({"number": number, **found}), flush=True)
            _set_alarms(0, 0)
        print(json.dumps({"counts": counts}))


def _seeds(target: str) -> Made:
    from tests.fuzz.targets import EVERYTHING, TARGETS

    return (TARGETS | EVERYTHING)[target].seeds


def _sound(seed: Seed) -> int:
    """Return the rows of a sound input, which has no finding."""
    rows = seed.read(seed.data)
    assert not seed.check(seed.data), seed.name
    return rows


def _drawn(target: str, number: int, seeds: list[Seed]) -> tuple[int, Random]:
    """Return the seed of an input, and what its damage is drawn from."""
    chance = Random(f"{target} {number}")
    return chance.randrange(len(seeds)), chance


def _outcome(seed: Seed, whole: int, chance: Random) -> dict[str, Any]:
    """Return the outcome of an input; *whole* is the number of rows of the sound one."""
    data, is_checked = seed.damaged(chance), not chance.randrange(_CHECKED)
    try:
        try:
            rows = seed.read(data)
        except ByteloomError as error:
            if len(str(error)) > _LONGEST:
                return {"kind": "other", "seed": seed.name, "error": "a long message"}
            if is_checked:
                seed.check(data)
            return {"kind": "refused"}
        if _is_contradicted(seed, data, rows, whole):
            if not seed.check(data):
                return {"kind": "silent", "seed": seed.name, "error": f"{rows} of {whole}"}
        elif is_checked:
            seed.check(data)
    except ByteloomError:
        return {"kind": "refused"}
    except BaseException as error:  # noqa: BLE001  any other exception is a defect
        last = [
            f"{each.filename}:{each.lineno}" for each in traceback.extract_tb(error.__traceback__)
        ]
        text = f"{type(error).__name__}: {error}"[:300]
        return {"kind": "other", "seed": seed.name, "error": text, "at": last[-4:]}
    return {"kind": "value"}


def _is_contradicted(seed: Seed, data: bytes, rows: int, whole: int) -> bool:
    """Whether *rows* of an input cannot be, where the sound one gives *whole*."""
    if seed.denies is not None and rows != whole:
        return seed.denies(data)
    return seed.counts and rows < whole


def _set_alarms(processor: int, wall: int) -> None:
    """Let the process end when it has used, or has waited for, this many seconds; 0 for never."""
    signal.setitimer(signal.ITIMER_PROF, processor)
    signal.alarm(wall)


def _limit() -> None:
    """Bound what may be allocated from here on, where the system can."""
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def once(target: str, number: int) -> None:
    """Read one input as a program does, its bytes kept in the folder for temporary files."""
    with tempfile.TemporaryDirectory() as folder:
        seeds = list(_seeds(target)(Path(folder)))
        at, chance = _drawn(target, number, seeds)
        seed = seeds[at]
        data = seed.damaged(chance)
        kept = Path(tempfile.gettempdir(), f"fuzzed-{number}")
        kept.write_bytes(data)
        print(f"{seed.name}: {len(data)} bytes, {kept}; sound: {seed.read(seed.data)} rows")
        try:
            print(f"{seed.read(data)} rows")
        finally:
            print(f"{seed.check(data)} findings")


if __name__ == "__main__":
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if len(sys.argv) == 3:
        once(sys.argv[1], int(sys.argv[2]))
    else:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
