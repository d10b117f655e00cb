"""Official parsers read edited records with the edit, and everything else as before."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.drawn_edits import lookup
from tests.support.judging import cases, emit_records
from tests.support.peers import KAITAI
from tests.support.strangers import imported_from

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.peer("node"), pytest.mark.xdist_group("strangers")]

_ROOT = Path(__file__).parents[2]
_UNIMPORTABLE = {"and_or", "doc_n", "enum_doc", "keywords", "not_type"}
"""Specs whose names and docs make official modules that Python cannot import."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, official_parsers: Path) -> Iterator[Path]:
    """Compile all specs, with the official compiler and as records of ours."""
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "official").symlink_to(official_parsers)
    (folder / "records").mkdir()
    emit_records(folder / "records")
    with imported_from(folder / "records"):
        yield folder


def _official(folder: Path, files: dict[str, bytes]) -> dict[str, Any]:
    """Return what official parsers read from *files*, as trees by name."""
    shutil.rmtree(folder / "files", ignore_errors=True)
    (folder / "files").mkdir()
    for name, data in files.items():
        (folder / "files" / name).write_bytes(data)
    program = [sys.executable, str(KAITAI / "plain.py"), "official", str(folder / "official")]
    out = folder / "official.json"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(_ROOT)}
    arguments = [str(folder / "files"), str(out), "--whole"]
    subprocess.run([*program, *arguments], check=True, env=environment)
    return {name: tree for name, (tree,) in json.loads(out.read_text()).items()}


def _judged(folder: Path, seed: str, most: int) -> int:
    """Return the number of edits; official parsers read each as it was made."""
    made = [case for case in cases(seed, most) if case.name not in _UNIMPORTABLE]
    files = {f"{case.name}.{at}.bin": case.data for at, case in enumerate(made)}
    edited = {
        f"{case.name}.{at}-{number}.bin": (case, f"{case.name}.{at}.bin", each)
        for at, case in enumerate(made)
        for number, each in enumerate(case.written)
    }
    trees = _official(folder, files | {name: each.data for name, (_, _, each) in edited.items()})
    read = 0
    for name, (case, before, each) in edited.items():
        if isinstance(trees[before], dict):
            wrong = each.wrong(partial(lookup, trees[before]), partial(lookup, trees[name]))
            assert not wrong, (seed, case.name, each.edit, wrong)
            read += 1
    return read


def test_official_parsers_read_what_was_edited_and_all_else_as_before(folder: Path) -> None:
    """A fixed sample of edits that were written is read by official parsers as it was made."""
    assert _judged(folder, "always the same", 6) > 600


@pytest.mark.slow
def test_official_parsers_read_many_edits(folder: Path) -> None:
    """New edits, drawn at every run (`EDITS_SEED` repeats a run), are read as they were made."""
    _judged(folder, os.environ.get("EDITS_SEED", token_hex(4)), 100)
