"""One spec of ``formats_err``: it has to be refused, or warned about, at the place that is wrong.

What is expected comes from ``formats_err_expected.json`` beside the folder, or else from the
comments at the head of each file.  The words of a message are the compiler's own affair.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.conformance.kaitai.compare import Differs

from byteloom_codegen.errors import SpecError, SpecErrors, SpecWarning
from byteloom_codegen.load import load_spec

if TYPE_CHECKING:
    from byteloom_codegen.model import Location

__all__ = ["Expected", "expectations", "run_refused"]

_HEAD: Final = re.compile(r"# (?P<file>\S+\.ksy):(?: (?P<path>/\S*)|(?P<place>\d+:\d+)):\s*")
_MESSAGE: Final = re.compile(r"#\s+(?P<severity>error|warning): ")


@dataclass(frozen=True, slots=True)
class Expected:
    """A mistake: in which file, at which path (or ``line:column``), an error or a warning."""

    file: str
    path: str
    severity: str


def expectations(suite: Path) -> dict[Path, list[Expected]]:
    """Return the files of *suite* that have to be refused or warned about, with what is expected.

    A file without expectations is there to be imported by another; one whose mistake stands in a
    file that *suite* lacks (a part of the whole) is left out.
    """
    listed = suite / "formats_err_expected.json"
    known = json.loads(listed.read_text(encoding="utf-8")) if listed.is_file() else {}
    found = {}
    for path in sorted((suite / "formats_err").glob("*.ksy")):
        rows = known.get(path.name)
        expected = (
            _of_head(path)
            if rows is None
            else [Expected(row["file"], row["path"], row["sev"]) for row in rows]
        )
        if expected and all((path.parent / each.file).is_file() for each in expected):
            found[path] = expected
    return found


def _of_head(path: Path) -> list[Expected]:
    found, here = [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        if head := _HEAD.fullmatch(line):
            here = head
        elif (message := _MESSAGE.match(line)) and here:
            found.append(Expected(here["file"], here["path"] or here["place"], message["severity"]))
    return found


def run_refused(path: Path, expected: list[Expected]) -> None:
    """Raise unless every expected mistake is reported, with its line and column."""
    errors, warnings = _diagnostics(path)
    for each in expected:
        places = [stated.location for stated in (errors if each.severity == "error" else warnings)]
        if not any(_is_there(place, each) for place in places):
            stated = ", ".join(map(str, places)) or "nothing"
            raise Differs(f"{each.severity} wanted at {each.file}: {each.path}, reported: {stated}")
    if errors and all(each.severity == "warning" for each in expected):
        raise Differs(f"refused for what deserves a warning: {errors[0]}")


def _diagnostics(path: Path) -> tuple[tuple[SpecError, ...], tuple[SpecWarning, ...]]:
    try:
        return (), load_spec(path).warnings
    except SpecErrors as error:
        return error.errors, error.warnings


def _is_there(place: Location, expected: Expected) -> bool:
    if Path(place.file).name != expected.file or place.line < 1 or place.column < 1:
        return False
    if not expected.path.startswith("/"):
        return f"{place.line}:{place.column}" == expected.path
    return "/" + "/".join(map(str, place.path)) == expected.path
