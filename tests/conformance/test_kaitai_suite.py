"""The shared half of the Kaitai project's suite, case by case.

The cases run once, through the same command that judges any other folder; each test looks its own
outcome up.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.kaitai.forms import FORMS
from tests.conformance.kaitai.isolate import Outcome
from tests.conformance.kaitai.skips import known_failures, verdict
from tests.conformance.kaitai.suite import tasks
from tests.support.corpus import corpus_cases, corpus_root

_ROOT = Path(__file__).parents[2]
_AREAS = ("kst", "python", "round_trip", "formats_err")


def _cases(suite: Path) -> Iterator[object]:
    for area in _AREAS:
        for task in tasks(suite, area, sorted(FORMS)):
            yield pytest.param((area, task.name), id=f"{area}-{task.name}")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """The reason of failure, empty for none, by area and case."""
    file = tmp_path_factory.mktemp("kaitai") / "results.json"
    areas = [word for area in _AREAS for word in ("--area", area)]
    command = [
        sys.executable,
        "-m",
        "tests.conformance.kaitai",
        str(corpus_root() / "kaitai"),
        "--json",
        str(file),
    ]
    subprocess.run([*command, *areas], cwd=_ROOT, check=False, capture_output=True)
    found: dict[str, dict[str, str]] = json.loads(file.read_text())
    return found


@pytest.mark.xdist_group("kaitai")
@corpus_cases("kaitai", _cases)
def test_the_case_goes_as_it_should(
    case: tuple[str, str], results: dict[str, dict[str, str]]
) -> None:
    """A case passes, or fails for a reason that is listed."""
    area, name = case
    assert not verdict(area, Outcome(name, results[area][name]), known_failures())
