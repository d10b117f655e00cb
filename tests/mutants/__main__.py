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
from tests.mutants.rooms import is_critical, room_of
from tests.mutants.spec_faults import spec_faults
from tests.mutants.trial import UNCHANGED, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
HARMLESS: Final = Path(__file__).with_name("survivors.yaml")


def main() -> None:
    """Print a line per fault, and how many were noticed per room."""
    asked = _arguments()
    places = list(_places(asked.only))
    if asked.critical:
        places = [place for place in places if is_critical(place[0])]
    drawn = Random(asked.seed).sample(places, min(asked.count, len(places)))[asked.skip :]
    trial = Trial(ROOT, asked.folder)
    tried, noticed = Counter[str](), Counter[str]()
    for path, fault in sorted(drawn):
        source = (ROOT / path).read_text()
        faulty = fault.applied(source)
        line, becomes = _statement(source, fault), _statement(faulty, fault)
        place = f"{path}:{fault.line}: {fault.kind}: {line}  ->  {becomes or '(nothing)'}"
        if _is_harmless(path, line, becomes):
            print(f"harmless  {place}", flush=True)
            continue
        by = trial.notices(path, source, faulty)
        if by == UNCHANGED:
            print(f"harmless  {place}  [{by}]", flush=True)
            continue
        print(
            f"{'SURVIVED' if by is None else 'noticed '}  {place}  [{by or 'no test'}]", flush=True
        )
        names = [room_of(path), "in all"]
        names += ["readers, rules and pruning"] * is_critical(path)
        tried.update(names)
        noticed.update(names if by is not None else ())
    for name in sorted(tried):
        print(f"{noticed[name]:4} of {tried[name]:4}  {noticed[name] / tried[name]:4.0%}  {name}")


def _arguments() -> Any:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--count", type=int, default=20, help="faults to draw")
    parser.add_argument("--skip", type=int, default=0, help="faults of the draw to leave out")
    parser.add_argument("--only", default="*", help="files to draw from: runtime/byteloom/hfile/*")
    parser.add_argument("--critical", action="store_true", help="readers, rules, pruning only")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants", help="of the copy")
    return parser.parse_args()


def _places(only: str) -> Iterator[tuple[str, Fault]]:
    """Yield every fault of every file by hand: code of runtime and generator, specs."""
    for pattern, of in [
        ("runtime/**/*.py", faults),
        ("codegen/**/*.py", faults),
        ("specs/*/*.ksy", spec_faults),
        ("specs/*/*.yaml", spec_faults),
    ]:
        for file in sorted(ROOT.glob(pattern)):
            path = file.relative_to(ROOT).as_posix()
            if fnmatch(path, only) and file.name != "vectors.yaml":
                yield from ((path, fault) for fault in of(file.read_text()))


def _statement(source: str, fault: Fault) -> str:
    """Return the line of a fault, before it or with it, without the space around it."""
    return source.splitlines()[fault.line - 1].strip()


def _is_harmless(path: str, line: str, becomes: str) -> bool:
    """Whether a fault is listed as one that changes nothing."""
    listed = yaml.safe_load(HARMLESS.read_text())
    places = {(each["path"], each["line"], each["becomes"]) for each in listed}
    return (path, line, becomes) in places


if __name__ == "__main__":
    main()
