"""``python -m tests.conformance.kaitai DIR``: run the suite in DIR and print how it went.

The last four lines are the figures: ``kst``, ``python``, ``round_trip``, ``formats_err``.  The exit
status is 1 where a case fails that skips.yaml does not list, or passes although it is listed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.conformance.kaitai.features import features
from tests.conformance.kaitai.forms import FORMS
from tests.conformance.kaitai.isolate import Outcome, outcomes
from tests.conformance.kaitai.modules import install
from tests.conformance.kaitai.skips import known_failures, verdict
from tests.conformance.kaitai.suite import AREAS, spec_of, tasks


def main() -> int:
    """Run what the command line asks for; return the exit status."""
    asked = _arguments()
    suite = asked.dir.resolve()
    with tempfile.TemporaryDirectory(prefix="byteloom-") as folder:
        install(suite, Path(folder))
        results = {area: _run(suite, area, asked) for area in asked.area or AREAS}
    if asked.json:
        asked.json.write_text(
            json.dumps(
                {area: {each.name: each.reason for each in done} for area, done in results.items()}
            )
        )
    _print_features(suite, results)
    listed = known_failures()
    wrong = [
        (area, each.name, text)
        for area, done in results.items()
        for each in done
        if (text := verdict(area, each, listed))
    ]
    for area, name, text in wrong:
        print(f"{area} {name}: {text}")
    for area, done in results.items():
        passed = sum(each.passed for each in done)
        print(f"{area}: {passed} passed, {len(done) - passed} failed")
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.kaitai")
    parser.add_argument("dir", type=Path, metavar="DIR", help="a folder of the suite's form")
    parser.add_argument(
        "--form",
        action="append",
        choices=sorted(FORMS),
        help="what assertions run on (default: all)",
    )
    parser.add_argument(
        "--area", action="append", choices=AREAS, help="run only this (default: all)"
    )
    parser.add_argument(
        "--case", action="append", default=[], metavar="NAME", help="run only cases of this name"
    )
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time (default: 2)")
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="what one case may take (default: 20)"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write area, case and reason of failure there"
    )
    asked = parser.parse_args()
    if not asked.dir.is_dir():
        parser.error(f"{asked.dir} is not a folder")
    return asked


def _run(suite: Path, area: str, asked: argparse.Namespace) -> list[Outcome]:
    chosen = [
        each
        for each in tasks(suite, area, asked.form or sorted(FORMS))
        if not asked.case or each.name in asked.case
    ]
    return sorted(
        outcomes(chosen, jobs=asked.jobs, seconds=asked.seconds), key=lambda each: each.name
    )


def _print_features(suite: Path, results: dict[str, list[Outcome]]) -> None:
    """Print a line per feature of the language and area, with how many of its cases passed."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    for area, done in results.items():
        for each in done:
            counts.update(
                (feature, area, each.passed)
                for feature in features(spec_of(suite, area, each.name))
            )
    print(f"{'passed/failed by feature':26}" + "".join(f"{area:>14}" for area in results))
    for feature in sorted({feature for feature, _, _ in counts}):
        cells = (
            f"{counts[feature, area, True]}/{counts[feature, area, False]}" for area in results
        )
        print(f"{feature:26}" + "".join(f"{cell:>14}" for cell in cells))


sys.exit(main())
