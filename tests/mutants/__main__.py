"""`python -m tests.mutants`: draw faults, try each, and print what no test noticed."""

from __future__ import annotations

import argparse
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from tests.mutants.faults import Fault, faults
from tests.mutants.jobs import Jobs
from tests.mutants.proto_faults import proto_faults
from tests.mutants.rooms import is_critical, is_drawn, room_of
from tests.mutants.spec_faults import spec_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]


def main() -> None:
    """Print a line per fault, and for each room how many were drawn and how many noticed."""
    asked = _arguments()
    places = list(_places(asked.only))
    if asked.critical:
        places = [place for place in places if is_critical(place[0])]
    Random(asked.seed).shuffle(places)
    outcomes: dict[str, Counter[str]] = {}
    passed, wanted = asked.skip, asked.count
    with Jobs(ROOT, asked.folder.resolve(), quick=asked.quick, count=asked.jobs) as jobs:
        while drawn := places[passed : passed + wanted]:
            passed += len(drawn)
            for path, outcome, line in jobs.outcomes(drawn):
                print(line, flush=True)
                if outcome != "invalid":
                    wanted -= 1
                    for name in _counted(path):
                        outcomes.setdefault(name, Counter())[outcome] += 1
    print(f"--skip {passed} goes on from here")
    for name, found in sorted(outcomes.items()):
        print(_figures(name, found))


def _counted(path: str) -> list[str]:
    """Return the name of the room under which the faults of a file are counted."""
    return [room_of(path), "in all", *["readers, rules and pruning"] * is_critical(path)]


def _figures(name: str, found: Counter[str]) -> str:
    """Return the summary line of a room; its share leaves out harmless and invalid faults."""
    noticed, survived = found["noticed"], found["SURVIVED"]
    share = noticed / ((noticed + survived) or 1)
    return (
        f"{noticed:4} noticed, {survived:3} survived, {found['harmless']:3} harmless"
        f"  {share:4.0%}  {name}"
    )


def _arguments() -> Any:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--count", type=int, default=20, help="faults to draw")
    parser.add_argument(
        "--skip", type=int, default=0, help="of the draw, to go on after an earlier run"
    )
    parser.add_argument(
        "--only", default="*", help="files to draw from: 'runtime/byteloom/hfile/* codegen/*'"
    )
    parser.add_argument("--critical", action="store_true", help="readers, rules, pruning only")
    parser.add_argument("--quick", action="store_true", help="only try the nearest tests")
    parser.add_argument("--jobs", type=int, default=2, help="processes that try them")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants", help="of the copies")
    return parser.parse_args()


def _places(only: str) -> Iterator[tuple[str, Fault]]:
    """Yield every fault of every file written by hand: runtime, generator, specs."""
    for pattern, of in [
        ("runtime/**/*.py", faults),
        ("codegen/**/*.py", faults),
        ("specs/*/*.ksy", spec_faults),
        ("specs/*/*.yaml", spec_faults),
        ("specs/*/*.proto", proto_faults),
    ]:
        for file in sorted(ROOT.glob(pattern)):
            path = file.relative_to(ROOT).as_posix()
            wanted = any(fnmatch(path, each) for each in only.split())
            if wanted and is_drawn(path) and file.name != "vectors.yaml":
                yield from ((path, fault) for fault in of(file.read_text()))


if __name__ == "__main__":
    main()
