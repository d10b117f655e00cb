"""`python -m tests.mutants`: draw faults, try each, and print what no test noticed."""

from __future__ import annotations

import argparse
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import yaml
from tests.mutants.faults import Fault, faults
from tests.mutants.proto_faults import proto_faults
from tests.mutants.rooms import is_critical, room_of
from tests.mutants.spec_faults import spec_faults
from tests.mutants.trial import INVALID, UNCHANGED, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
HARMLESS: Final = Path(__file__).with_name("survivors.yaml")


def main() -> None:
    """Print a line per fault, and for each room how many were drawn and how many noticed."""
    asked = _arguments()
    places = list(_places(asked.only))
    if asked.critical:
        places = [place for place in places if is_critical(place[0])]
    Random(asked.seed).shuffle(places)
    trial = Trial(ROOT, asked.folder.resolve(), quick=asked.quick)
    outcomes: dict[str, Counter[str]] = {}
    passed, wanted = asked.skip, asked.count
    while drawn := places[passed : passed + wanted]:
        passed += len(drawn)
        for path, fault in sorted(drawn, key=lambda each: room_of(each[0])):
            outcome = _outcome(trial, path, fault)
            if outcome != "invalid":
                wanted -= 1
                for name in _counted(path):
                    outcomes.setdefault(name, Counter())[outcome] += 1
    trial.end()
    print(f"--skip {passed} goes on from here")
    for name, found in sorted(outcomes.items()):
        print(_figures(name, found))


def _outcome(trial: Trial, path: str, fault: Fault) -> str:
    """Try a fault; print and return what came of it: noticed, SURVIVED, harmless or invalid."""
    source = (ROOT / path).read_text()
    faulty = fault.applied(source)
    line, becomes = _statement(source, fault), _statement(faulty, fault)
    if _is_harmless(path, source.splitlines()[: fault.line], becomes):
        outcome, why = "harmless", "listed"
    else:
        by = trial.notices(path, source, faulty)
        outcome, why = _KNOWN.get(by, "noticed"), by or "no test"
    place = f"{path}:{fault.line}: {fault.kind}: {line}  ->  {becomes or '(nothing)'}"
    print(f"{outcome:8}  {place}  [{why}]", flush=True)
    return outcome


_KNOWN: Final[dict[str | None, str]] = {
    None: "SURVIVED",
    UNCHANGED: "harmless",
    INVALID: "invalid",
}


def _counted(path: str) -> list[str]:
    """Return what a file's faults are counted for."""
    return [room_of(path), "in all", *["readers, rules and pruning"] * is_critical(path)]


def _figures(name: str, found: Counter[str]) -> str:
    """Return the line of a room; the share is of faults that change something."""
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
    parser.add_argument(
        "--quick", action="store_true", help="only try tests that run what is changed"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants", help="of the copy")
    return parser.parse_args()


def _places(only: str) -> Iterator[tuple[str, Fault]]:
    """Yield every fault of every file by hand: code of runtime and generator, specs."""
    for pattern, of in [
        ("runtime/**/*.py", faults),
        ("codegen/**/*.py", faults),
        ("specs/*/*.ksy", spec_faults),
        ("specs/*/*.yaml", spec_faults),
        ("specs/*/*.proto", proto_faults),
    ]:
        for file in sorted(ROOT.glob(pattern)):
            path = file.relative_to(ROOT).as_posix()
            if any(fnmatch(path, each) for each in only.split()) and file.name != "vectors.yaml":
                yield from ((path, fault) for fault in of(file.read_text()))


def _statement(source: str, fault: Fault) -> str:
    """Return the line of a fault, before it or with it, without the space around it."""
    return source.splitlines()[fault.line - 1].strip()


def _is_harmless(path: str, lines: list[str], becomes: str) -> bool:
    """Whether a fault in the last of *lines* is listed as one that changes nothing."""
    *_, above, line = ["", *(each.strip() for each in lines)]
    return any(
        (each["path"], each["line"], each["becomes"]) == (path, line, becomes)
        and each.get("below", above) == above
        for each in yaml.safe_load(HARMLESS.read_text())
    )


if __name__ == "__main__":
    main()
