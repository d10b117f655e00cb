"""The cases of a folder, by area, and what runs each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from tests.conformance.kaitai.forms import FORMS
from tests.conformance.kaitai.isolate import Task
from tests.conformance.kaitai.kst import run_kst
from tests.conformance.kaitai.official import run_official
from tests.conformance.kaitai.refused import expectations, run_refused
from tests.conformance.kaitai.round_trip import run_round_trip

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["AREAS", "spec_of", "tasks"]

AREAS: Final = ("kst", "python", "round_trip", "formats_err")
"""The areas of the suite, in the order of the result's last lines."""


def tasks(suite: Path, area: str, forms: list[str]) -> list[Task]:
    """Return the cases of one area; a ``.kst`` file passes where it holds in every form."""
    match area:
        case "kst":
            paths = sorted((suite / "spec" / "ks").glob("*.kst"))
            return [Task(path.stem, partial(_in_forms, suite, path, forms)) for path in paths]
        case "python":
            paths = sorted((suite / "spec" / "python" / "spec").glob("test_*.py"))
            return [
                Task(path.stem.removeprefix("test_"), partial(run_official, suite, path))
                for path in paths
            ]
        case "formats_err":
            cases = expectations(suite)
            return [
                Task(path.stem, partial(run_refused, path, expected))
                for path, expected in cases.items()
            ]
    paths = sorted((suite / "spec" / "ks").glob("*.kst"))
    return [Task(path.stem, partial(run_round_trip, suite, path)) for path in paths]


def spec_of(suite: Path, area: str, name: str) -> Path:
    """Return the spec that a case is about, there or not."""
    return suite / ("formats_err" if area == "formats_err" else "formats") / f"{name}.ksy"


def _in_forms(suite: Path, path: Path, forms: list[str]) -> None:
    for name in forms:
        try:
            run_kst(suite, path, FORMS[name](suite, path.stem))
        except Exception as error:
            error.add_note(f"form {name}")
            raise
