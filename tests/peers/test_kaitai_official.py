"""The official compiler and ours give the same values, and the same errors, on the same bytes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.corpus import corpus_cases, corpus_root
from tests.support.peers import KAITAI

from byteloom_codegen.kaitaistruct import emit
from byteloom_codegen.load import load_spec


def _cases(suite: Path) -> Iterator[object]:
    for path in sorted((suite / "spec/ks").glob("*.kst")):
        yield pytest.param(path.stem, id=path.stem)


def _outcomes(modules: Path, out: Path) -> dict[str, list[Any]]:
    """Run the parsers in *modules* in a process of their own."""
    command = [
        sys.executable,
        str(KAITAI / "values.py"),
        str(modules),
        str(corpus_root() / "kaitai"),
        str(out),
    ]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    found: dict[str, list[Any]] = json.loads(out.read_text())
    return found


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What the official parsers make of the suite's data, whole, cut and damaged."""
    modules = tmp_path_factory.mktemp("official")
    formats = corpus_root() / "kaitai/formats"
    subprocess.run(["node", str(KAITAI / "compile.js"), str(formats), str(modules)], check=True)
    return _outcomes(modules, modules / "outcomes.json")


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What our drop-in parsers make of the same."""
    modules = tmp_path_factory.mktemp("ours")
    formats = corpus_root() / "kaitai/formats"
    for path in sorted(formats.glob("*.ksy")):
        for name, text in emit(load_spec(path, include_dirs=[formats / "ks_path"])).items():
            (modules / name).write_text(text)
    return _outcomes(modules, modules / "outcomes.json")


@pytest.mark.peer("node")
@pytest.mark.xdist_group("kaitai")
@corpus_cases("kaitai", _cases)
def test_both_read_the_same(
    case: str, official: dict[str, list[Any]], ours: dict[str, list[Any]]
) -> None:
    """Values, instances, raw bytes and errors are equal, where the official module works at all."""
    for theirs, mine in zip(official[case], ours[case], strict=True):
        if not _is_their_own_fault(theirs):
            assert mine == theirs


def _is_their_own_fault(outcome: Any) -> bool:
    """Whether official output of 0.11 fails where the language does not.

    IndexError  raised while reading: it looks raw bytes up in a list by the number of the element,
                though elements that match no case leave none there
    """
    return isinstance(outcome, str) and outcome.startswith(
        ("ModuleNotFoundError: ", "IndexError: ")
    )
