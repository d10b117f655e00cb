"""Specs by strangers: official parsers, our drop-ins and our records read equal values."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.peers import KAITAI
from tests.support.strangers import emit_all, inputs, specs

pytestmark = [pytest.mark.peer("node"), pytest.mark.xdist_group("strangers")]

_ROOT = Path(__file__).parents[2]
_NAMES = [path.stem for path in specs()]
_UNIMPORTABLE = ["and_or", "doc_n", "enum_doc", "keywords", "not_type"]
"""Specs whose names and docs make official modules that Python cannot import."""


class Outcomes(NamedTuple):
    """Results of official parsers, drop-ins and records for each variant of each file."""

    official: dict[str, list[Any]]
    drop_in: dict[str, list[Any]]
    records: dict[str, list[Any]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory, official_parsers: Path) -> Outcomes:
    """Read all files, whole, cut and damaged, with all three readers."""
    folder = tmp_path_factory.mktemp("strangers")
    (folder / "official").symlink_to(official_parsers)
    for name in ("drop_in", "records", "files"):
        (folder / name).mkdir()
    emit_all(folder / "records", folder / "drop_in")
    for number, (name, data) in enumerate(inputs()):
        (folder / "files" / f"{name}.{number}.bin").write_bytes(data)
    return Outcomes(*(_read(folder, form) for form in ("official", "drop_in", "records")))


def _read(folder: Path, form: str) -> dict[str, list[Any]]:
    out = folder / f"{form}.json"
    program = [sys.executable, str(KAITAI / "plain.py")]
    api = "records" if form == "records" else "official"
    arguments = [api, str(folder / form), str(folder / "files"), str(out)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(_ROOT)}
    subprocess.run([*program, *arguments], check=True, env=environment)
    found: dict[str, list[Any]] = json.loads(out.read_text())
    return found


def _of(name: str, outcomes: dict[str, list[Any]]) -> list[Any]:
    return [
        each for file, found in outcomes.items() if file.split(".")[0] == name for each in found
    ]


@pytest.mark.parametrize("name", [each for each in _NAMES if each not in _UNIMPORTABLE])
def test_the_drop_in_reads_what_the_official_parser_reads(name: str, outcomes: Outcomes) -> None:
    """A drop-in has the official parser's values and fails where it fails, or never ends."""
    for theirs, ours in zip(_of(name, outcomes.official), _of(name, outcomes.drop_in), strict=True):
        assert ours == ("!" if theirs == "does not end" else theirs)


@pytest.mark.parametrize("name", [each for each in _NAMES if each not in _UNIMPORTABLE])
def test_a_record_reads_what_the_official_parser_reads(name: str, outcomes: Outcomes) -> None:
    """A record has the official parser's values and fails where it fails.

    Where an official instance fails half-way, the part that was read passes for its value when it
    is requested again; here the error is raised again.
    """
    for theirs, ours in zip(_of(name, outcomes.official), _of(name, outcomes.records), strict=True):
        if theirs == "does not end":
            assert ours == "!"
        else:
            failed = "!" in _leaves(theirs)
            assert not _differences(theirs, ours, failed=failed)


@pytest.mark.parametrize("name", _UNIMPORTABLE)
def test_where_there_is_no_official_module_ours_agree(name: str, outcomes: Outcomes) -> None:
    """Where the official module cannot be imported, our records and drop-ins read equal values."""
    assert set(_of(name, outcomes.official)) == {"no module"}
    assert _of(name, outcomes.records) == _of(name, outcomes.drop_in)


def _leaves(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        return [leaf for each in tree.values() for leaf in _leaves(each)]
    return [leaf for each in tree for leaf in _leaves(each)] if isinstance(tree, list) else [tree]


def _differences(theirs: Any, ours: Any, *, failed: bool) -> list[tuple[Any, Any]]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        names = {*theirs, *ours}
        pairs = [(theirs.get(name), ours.get(name)) for name in sorted(names)]
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        pairs = list(zip(theirs, ours, strict=True))
    else:
        half_read = failed and ours == "!" and isinstance(theirs, list)
        return [] if theirs == ours or half_read else [(theirs, ours)]
    return [each for pair in pairs for each in _differences(*pair, failed=failed)]
